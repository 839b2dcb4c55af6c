import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { build } from 'esbuild';

import { handleNodeRequest } from '../support/node-adapter.ts';
import type { Handler } from '../support/node-adapter.ts';

/** A server on this machine, and how to end it. */
export interface Opened {
  port: number;
  close: () => void;
}

/** Opens a server on any free port. */
export async function opened(listener: RequestListener): Promise<Opened> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Serves a page with one script, and the proxy below `/api/gateway`, for those who have got the page's cookie. */
export function openPage(script: string, handler: Handler): Promise<Opened> {
  return opened((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/gateway'))
      return void handleNodeRequest(handler, incoming, outgoing);
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

/** A script of this folder in one file with the packed package, as an app has installed it. */
export async function bundled(script: string, app: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL(script, import.meta.url).pathname],
    nodePaths: [join(app, 'node_modules')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
