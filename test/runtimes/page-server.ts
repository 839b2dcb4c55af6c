import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

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

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Serves the files of a folder as a plain file server would. */
export function serveFolder(folder: URL): RequestListener {
  return ({ url = '' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://site').pathname);
    const file = new URL(`.${path.replace(/\/$/, '/index.html')}`, folder);
    const isFile = existsSync(file);
    if (!isFile) response.writeHead(404, { 'content-type': 'text/html' });
    else response.setHeader('content-type', types[extname(file.pathname)] ?? 'text/plain');
    const notFound = new URL('404.html', folder);
    if (isFile || existsSync(notFound)) response.end(readFileSync(isFile ? file : notFound));
    else response.end();
  };
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
