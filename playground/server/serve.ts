import { fileURLToPath } from 'node:url';

import { createServer } from 'vite';
import type { Plugin } from 'vite';

import { createBackend } from './backend.ts';
import type { Backend } from './backend.ts';
import { realGateway } from './gateway.ts';
import type { Upstream } from './gateway.ts';
import { answer } from './node-adapter.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Serves the playground on this machine; with port 0 on any free one. */
export async function serve(port: number): Promise<{ url: string; gateway: string }> {
  const real = realGateway(process.env);
  const server = await createServer({
    root: at('..'),
    configFile: false,
    clearScreen: false,
    logLevel: 'warn',
    resolve: {
      alias: [
        // The page uses the client's sources, so that changes to them show at once.
        { find: /^polygate$/, replacement: at('../../src/index.ts') },
        { find: /^ky$/, replacement: at('../../src/browser/ky.ts') },
      ],
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    optimizeDeps: {
      entries: ['index.html'],
      include: ['preact', 'preact/jsx-dev-runtime', '@preact/signals'],
    },
    server: {
      host: '127.0.0.1',
      port,
      headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
      fs: { allow: [at('..'), at('../../src'), at('../../node_modules')] },
    },
    plugins: [backendPlugin(real)],
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0] ?? '';
  return { url, gateway: real?.baseURL ?? 'the reference gateway' };
}

/** Nothing is loaded from elsewhere but results, which a real gateway keeps where it likes. */
const policy = [
  "default-src 'self'",
  "connect-src 'self' ws:",
  'img-src * data:',
  'media-src * data:',
  "style-src 'self' 'unsafe-inline'",
].join('; ');

/** Puts the backend on the page's own origin, in front of Vite's files. */
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
        void answer(incoming, outgoing, handle);
      });
    },
  };
}
