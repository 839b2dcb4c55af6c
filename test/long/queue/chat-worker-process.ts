/** A worker whose chat ends when Redis is lost, which closes its queue at SIGTERM. */
import { Polygate } from 'polygate';
import { GenerationQueue } from 'polygate/bullmq';
import { createMockGateway } from 'polygate/mock';

const mock = createMockGateway();
const { apiKey, baseURL } = mock;
let end = () => {};
const isClosing = new Promise<void>((resolve) => {
  end = resolve;
});
const gateway = new Polygate({
  apiKey,
  baseURL,
  fetch: async (...request) => {
    const response = await mock.fetch(...request);
    console.log('ready');
    await isClosing;
    return response;
  },
});
const connection = { url: process.env.REDIS_URL ?? '' };
const queue = new GenerationQueue('chats', { gateway, connection });
process.once('SIGTERM', () => {
  end();
  void queue.close().then(() => console.log('closed'));
});
queue.work();
const messages = [{ role: 'user' as const, content: 'Hi' }];
await queue.add('a', gateway.chat.completions.submission({ model: 'aurora-chat', messages }));
