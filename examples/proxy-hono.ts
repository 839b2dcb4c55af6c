/** A server whose signed-in users can use the gateway from a page. The API key never leaves the server. */
import { Hono } from 'hono';
import { NotFoundError, PaymentRequiredError, Polygate } from 'polygate';
import { createProxyHandler } from 'polygate/proxy';

import { startGateway } from './support/gateway.ts';

const stop = await startGateway();
const { POLYGATE_API_KEY: apiKey = '', POLYGATE_BASE_URL: baseURL = '' } = process.env;

// Users by session cookie. In a real app, they are in a database.
const sessions = new Map([
  ['s-1', 'ann'],
  ['s-2', 'bob'],
]);

const gatewayProxy = createProxyHandler({
  apiKey,
  baseURL,
  authorize: ({ headers }) => {
    const [, session = ''] = /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '') ?? [];
    return sessions.get(session) ?? null;
  },
  limits: { usd: 0.05 }, // per user and day; with several processes, set `store`, too
  isolate: true, // each user sees only their own tasks, materials and voices
  onError: (error) => console.error(error),
});

// In Bun, Deno and Cloudflare Workers, use `export default app`; in Node, `serve(app)` from @hono/node-server.
const app = new Hono();
app.all('/api/gateway/*', (context) => gatewayProxy(context.req.raw));

/** The client in a page. A real page needs no `fetch` or `headers`, and its `baseURL` is `/api/gateway`. */
const createPageClient = (session: string) =>
  new Polygate({
    apiKey: null,
    baseURL: 'https://app.example/api/gateway',
    fetch: async (input, init) => app.fetch(new Request(input, init)),
    headers: { cookie: `session=${session}` },
  });

const ann = createPageClient('s-1');
const task = await ann.images.submit({ model: 'prism-image', prompt: 'A harbor' });
const image = await task.wait({ pollInterval: 100 });
console.log(`ann generated ${image.urls[0]} for $${ann.spend.totalUsd}`);

try {
  await createPageClient('s-2').images.retrieve(task.id);
} catch (error) {
  if (!(error instanceof NotFoundError)) throw error;
  console.log(`bob cannot access it: ${error.code}`);
}

try {
  await ann.images.submit({ model: 'prism-image', prompt: 'A storm', num_images: 2 });
} catch (error) {
  if (!(error instanceof PaymentRequiredError)) throw error;
  console.log(`ann has spent $${(await gatewayProxy.usage('ann')).usd} of $0.05: ${error.code}`);
}
await stop();
