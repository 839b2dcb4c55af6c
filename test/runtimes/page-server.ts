import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { build } from 'esbuild';

import { handleNodeRequest } from '../support/node-adapter.ts';
import type { Handler } from '../support/node-adapter.ts';

/** A running server. */
export interface LocalServer {
  port: number;
  close: () => void;
}

/** Starts a server on a free port. */
export async function startServer(listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Serves a page with one script, which sets a session cookie, and a handler below a path. */
export function servePage(
  script: string,
  handler: Handler,
  path = '/api/gateway',
): Promise<LocalServer> {
  return startServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(path)) return void handleNodeRequest(handler, incoming, outgoing);
    if (incoming.url === '/page.js') {
      outgoing.setHeader('content-type', 'text/javascript');
      return void outgoing.end(script);
    }
    const session = 'session=s-1; HttpOnly; SameSite=Lax; Path=/';
    outgoing.writeHead(200, { 'content-type': 'text/html', 'set-cookie': session });
    outgoing.end(
      '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>',
    );
  });
}

/** Bundles a script of this folder with the packed package that is installed in the app. */
export async function bundle(script: string, app: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL(script, import.meta.url).pathname],
    nodePaths: [join(app, 'node_modules')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
