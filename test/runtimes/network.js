// The script of a page that makes one call of every kind through the proxy, bundled with the packed package.
import { Polygate } from 'polygate';

// On a busy machine, a body can end later than the client waits for its end, which is less than a second.
const clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms < 1_000 ? ms * 50 : ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};
const gateway = new Polygate({ apiKey: null, baseURL: '/api/gateway', maxRetries: 0, clock });
const chat = gateway.chat.completions;
const question = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'Describe a harbor' }],
};
const image = { model: 'prism-image', prompt: 'A harbor' };
const failure = (promise) => promise.catch(({ name }) => name);

async function streamChat() {
  let content = '';
  for await (const text of chat.stream(question).text()) content += text;
  return content;
}

async function createAndDelete() {
  const url = 'https://host.example/harbor.png';
  const { id } = await gateway.materials.create({ url, type: 'image' });
  return gateway.materials.delete(id);
}

globalThis.actions = {
  /** Makes calls that succeed, and calls that the service rejects. */
  async callEverything() {
    for (let round = 0; round < 10; round += 1) {
      await gateway.models.list();
      await gateway.public.openapi();
      await chat.create(question);
      await chat.stream(question).final();
      await streamChat();
      await gateway.images.generate(image, { pollInterval: 20 });
      await createAndDelete();
      await failure(gateway.models.retrieve('none'));
      await failure(gateway.images.submit({ ...image, model: 'none' }));
    }
  },
  /** Leaves a stream in the middle. */
  async leaveStream() {
    for await (const _ of chat.stream(question)) break;
  },
};
