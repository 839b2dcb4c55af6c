import { createProxyHandler, defaultRoutes } from 'polygate/proxy';

import { referenceGateway } from './gateway.ts';
import type { Upstream } from './gateway.ts';
import { Lab } from './lab.ts';

/** What answers the page beside its own files; undefined for a path that is none of it. */
export type Backend = (path: string) => ((request: Request) => Promise<Response>) | undefined;

/** The proxy at `/api/gateway`, the control room at `/api/lab`, and the files of the reference gateway. */
export function createBackend(real: Upstream | undefined, port: number): Backend {
  const origin = `http://127.0.0.1:${port}`;
  const upstream = real ?? referenceGateway(origin);
  const lab = new Lab(upstream);
  const proxy = createProxyHandler({
    apiKey: upstream.apiKey,
    baseURL: upstream.baseURL,
    fetch: lab.recorder.watch(upstream.fetch),
    // One person at their own machine. With real users: who they are, or null.
    authorize: () => 'you',
    // Everybody is let in, so the address counts: a stranger's host name may point at this machine.
    origins: [origin, `http://localhost:${port}`],
    // The wallet and the list of materials are closed by default, because they show what all users have.
    allow: [...defaultRoutes, 'GET /v1/account', 'GET /v1/materials'],
    basePath: '/api/gateway',
    onError: (error) => console.error(error instanceof Error ? error.message : error),
  });
  return (path) => {
    if (path.startsWith('/api/gateway/')) return proxy;
    if (path.startsWith('/api/lab/')) return (request) => lab.handle(request);
    const { mock } = upstream;
    const isFile = /^\/(media|previews|verify)\//.test(path);
    return mock && isFile ? async (request) => mock.fetch(request) : undefined;
  };
}
