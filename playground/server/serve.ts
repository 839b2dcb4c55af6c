import { fileURLToPath } from 'node:url';

import { toNodeHandler } from 'polygate/node';
import { createServer } from 'vite';
import type { Plugin } from 'vite';

import { shared } from '../build-options.ts';
import type { Upstream } from '../lab/lab.ts';
import { createBackend, pageHeaders } from './backend.ts';
import type { Backend } from './backend.ts';
import { realGateway } from './gateway.ts';

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Serves the playground on loopback. Port 0 selects a free port. */
export async function serve(port: number): Promise<{ url: string; gateway: string }> {
  const real = realGateway(process.env);
  const server = await createServer({
    ...shared,
    optimizeDeps: {
      entries: ['index.html'],
      include: ['preact', 'preact/jsx-dev-runtime', '@preact/signals', 'ai', 'markdown-it'],
    },
    server: {
      host: '127.0.0.1',
      port,
      headers: pageHeaders,
      fs: {
        allow: [resolvePath('..'), resolvePath('../../src'), resolvePath('../../node_modules')],
      },
    },
    plugins: [backendPlugin(real)],
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0] ?? '';
  return { url, gateway: real?.baseURL ?? 'the reference gateway' };
}

/** Serves the backend on the page's own origin, before Vite's files. */
function backendPlugin(real: Upstream | undefined): Plugin {
  let backend: Backend | undefined;
  return {
    name: 'polygate-playground',
    configureServer({ httpServer, middlewares }) {
      httpServer?.once('listening', () => {
        const address = httpServer.address();
        if (typeof address === 'object' && address) backend = createBackend(real, address.port);
      });
      middlewares.use((incoming, outgoing, next) => {
        const handle = backend?.(incoming.url ?? '/');
        if (handle === undefined) return next();
        void toNodeHandler(handle)(incoming, outgoing);
      });
    },
  };
}
