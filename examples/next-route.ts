/**
 * A route handler for a Next.js app: `app/api/gateway/[...path]/route.ts`. In pages, use
 * `new Polygate({ apiKey: null, baseURL: '/api/gateway' })`.
 */
import { createProxyHandler } from 'polygate/proxy';

/** Reads the user from a session cookie. Replace this with your own authentication. */
async function getUserId({ headers }: Request): Promise<string | null> {
  const [, session] = /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '') ?? [];
  return session === undefined ? null : findUser(session);
}

async function findUser(session: string): Promise<string | null> {
  return session === 's-1' ? 'ann' : null;
}

const handler = createProxyHandler({
  apiKey: process.env['POLYGATE_API_KEY'] ?? '',
  baseURL: process.env['POLYGATE_BASE_URL'] ?? '',
  authorize: getUserId,
  // Limit the models on the server: visitors can change what the page sends.
  models: ['aurora-chat', 'prism-image'],
  // What each user may spend per day. With several processes, set `store: redisStore(…)`.
  limits: { usd: 1 },
  // Each user sees only their own tasks, materials and voices.
  isolate: true,
  // Behind a load balancer, Next.js does not know the public origin of your pages.
  origins: [process.env['APP_ORIGIN'] ?? 'http://localhost:3000'],
  onError: (error) => console.error(error),
});

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST };

/** Maximum duration of a request in seconds. A stream lasts until the model has finished. */
export const maxDuration = 300;
