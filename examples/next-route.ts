/**
 * A route of a Next.js app, `app/api/gateway/[...path]/route.ts`. Pages then use
 * `new Polygate({ apiKey: null, baseURL: '/api/gateway' })`.
 */
import { createProxyHandler } from 'polygate/proxy';

/** Who asks: here from a cookie that your sign-in sets; take your own library's way. */
async function userOf({ headers }: Request): Promise<string | null> {
  const [, session] = /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '') ?? [];
  return session === undefined ? null : findUser(session);
}

async function findUser(session: string): Promise<string | null> {
  return session === 's-1' ? 'ann' : null;
}

const handler = createProxyHandler({
  apiKey: process.env['POLYGATE_API_KEY'] ?? '',
  baseURL: process.env['POLYGATE_BASE_URL'] ?? '',
  authorize: userOf,
  // What a visitor can spend is decided here, not in the page.
  models: ['aurora-chat', 'prism-image'],
  // Next builds the URL of a request from its own address; behind a balancer that is not the one that pages see.
  origins: [process.env['APP_ORIGIN'] ?? 'http://localhost:3000'],
  onError: (error) => console.error(error),
});

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST };

/** An answer is written for as long as the model takes. */
export const maxDuration = 300;
