import { createProxyHandler, defaultRoutes } from 'polygate/proxy';

import { createAiSdkRoute } from '../lab/ai-sdk.ts';
import { Lab } from '../lab/lab.ts';
import type { Upstream } from '../lab/lab.ts';
import { referenceGateway } from './gateway.ts';

/** Finds the handler for a path; undefined if Vite serves the path. */
export type Backend = (path: string) => ((request: Request) => Promise<Response>) | undefined;

/** Only results may come from other origins, because a real gateway can host them anywhere. */
const policy = [
  "default-src 'self'",
  "connect-src 'self' ws:",
  'img-src * data:',
  'media-src * data:',
  "style-src 'self' 'unsafe-inline'",
];

/** The headers of the page. */
export const pageHeaders = {
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
};

/**
 * Serves the proxy at `/api/gateway`, the AI SDK's chat at `/api/chat`, the control room at `/api/lab`, and the files of
 * the reference gateway.
 */
export function createBackend(real: Upstream | undefined, port: number): Backend {
  const origin = `http://127.0.0.1:${port}`;
  // Without real authentication, list the origins: another site's host name could point to this machine.
  const origins = [origin, `http://localhost:${port}`];
  const upstream = real ?? referenceGateway(origin);
  const { apiKey, baseURL } = upstream;
  const lab = new Lab(upstream);
  const fetch = lab.recorder.record(upstream.fetch);
  const aiSdk = createAiSdkRoute({ apiKey, baseURL, fetch }, origins);
  const proxy = createProxyHandler({
    apiKey,
    baseURL,
    fetch,
    // The playground has one local user. A real app returns the signed-in user's id, or null.
    authorize: () => 'you',
    origins,
    // Not allowed by default, because they show the account and the materials of all users.
    allow: [...defaultRoutes, 'GET /v1/account', 'GET /v1/materials'],
    basePath: '/api/gateway',
    onError: (error) => console.error(error instanceof Error ? error.message : error),
  });
  return (path) => {
    if (path.startsWith('/api/gateway/')) return proxy;
    if (path === '/api/chat') return aiSdk;
    if (path.startsWith('/api/lab/')) return (request) => lab.handle(request);
    const { mock } = upstream;
    const isFile = /^\/(media|previews|verify)\//.test(path);
    return mock && isFile ? async (request) => mock.fetch(request) : undefined;
  };
}
