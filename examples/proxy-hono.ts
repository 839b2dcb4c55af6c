/** A server that lets signed-in pages use the gateway, and a page that does; the key never leaves the server. */
import { Hono } from 'hono';
import { PermissionDeniedError, Polygate } from 'polygate';
import { createProxyHandler } from 'polygate/proxy';

import { startGateway } from './support/gateway.ts';

const stop = await startGateway();
const { POLYGATE_API_KEY: apiKey = '', POLYGATE_BASE_URL: baseURL = '' } = process.env;

// Who is signed in, by session cookie; and whose a task is. In earnest both live in a database.
const sessions = new Map([
  ['s-1', 'ann'],
  ['s-2', 'bob'],
]);
const owners = new Map<string, string>();

const gatewayProxy = createProxyHandler({
  apiKey,
  baseURL,
  authorize: ({ headers }) => {
    const [, session = ''] = /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '') ?? [];
    return sessions.get(session) ?? null;
  },
  onResponse: ({ user, method, taskId }) => {
    if (method === 'POST' && taskId) owners.set(taskId, user);
  },
  permit: ({ user, taskId }) => !taskId || owners.get(taskId) === user,
  onError: (error) => console.error(error),
});

// Bun, Deno and workers run `export default app`; Node runs `serve(app)` from @hono/node-server.
const app = new Hono();
app.all('/api/gateway/*', (context) => gatewayProxy(context.req.raw));

/** What a page does. There it needs neither `fetch` nor `headers`, and its `baseURL` is `/api/gateway`. */
const pageOf = (session: string) =>
  new Polygate({
    apiKey: null,
    baseURL: 'https://app.example/api/gateway',
    fetch: async (input, init) => app.fetch(new Request(input, init)),
    headers: { cookie: `session=${session}` },
  });

const ann = pageOf('s-1');
const task = await ann.images.submit({ model: 'prism-image', prompt: 'A harbour' });
const image = await task.wait({ pollInterval: 100 });
console.log(`ann drew ${image.urls[0]} for $${ann.spend.totalUsd}`);

try {
  await pageOf('s-2').images.retrieve(task.id);
} catch (error) {
  if (!(error instanceof PermissionDeniedError)) throw error;
  console.log(`bob may not see it: ${error.code}`);
}
await stop();
