/** A worker as the guide deploys it: it finishes a row, and closes its queue at SIGTERM. */
import { Polygate } from 'polygate';
import { GenerationQueue } from 'polygate/bullmq';
import { createMockGateway } from 'polygate/mock';

const { apiKey, baseURL, fetch } = createMockGateway({ tasks: { durationMs: 0 } });
const gateway = new Polygate({ apiKey, baseURL, fetch });
const connection = { url: process.env.REDIS_URL ?? '' };
const queue = new GenerationQueue('pictures', { gateway, connection });
process.once('SIGTERM', () => void queue.close().then(() => console.log('closed')));
queue.work();
await queue.add('a', gateway.images.submission({ model: 'prism-image', prompt: 'A harbor' }));
await queue.result('a');
console.log('ready');
