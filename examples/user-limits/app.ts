/** The server: a page, the proxy with a budget per user, and what is left of that budget. */
import { readFile } from 'node:fs/promises';

import { build } from 'esbuild';
import { Hono } from 'hono';
import { createProxyHandler } from 'polygate/proxy';

/** Users by session cookie. Here, every new visitor is one; in a real app, they sign in and are in a database. */
const users = new Map<string, string>();

const gatewayProxy = createProxyHandler({
  apiKey: process.env['POLYGATE_API_KEY'] ?? '',
  baseURL: process.env['POLYGATE_BASE_URL'] ?? '',
  authorize: userOf,
  limits: { usd: 0.1, concurrent: 8 }, // per user and day
  budgetPath: '/api/gateway/budget',
  isolate: true,
  // With several processes, also `store: redisStore(redis)`.
  onError: (error) => console.error(error),
});

const html = await readFile(new URL('page.html', import.meta.url), 'utf8');
const script = await bundlePage();

export const app = new Hono();

app.get('/', (context) => {
  if (userOf(context.req.raw) === null) {
    const session = crypto.randomUUID();
    users.set(session, `user-${users.size + 1}`);
    context.header('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`);
  }
  return context.html(html);
});

app.get('/page.js', (context) => context.body(script, 200, { 'content-type': 'text/javascript' }));

app.all('/api/gateway/*', (context) => gatewayProxy(context.req.raw));

function userOf({ headers }: Request): string | null {
  const [, session = ''] = /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '') ?? [];
  return users.get(session) ?? null;
}

/** Bundles the script of the page, which Vite or another bundler does in a real app. */
async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL('page.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
