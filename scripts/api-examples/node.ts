/** Examples of the API reference for `polygate/node`. */
import { createServer } from 'node:http';

import { Polygate } from 'polygate';
import { fileStore, nodeFetch, saveTo, toNodeHandler } from 'polygate/node';
import type { WebHandler } from 'polygate/node';
import { createProxyHandler } from 'polygate/proxy';
import type { ProxyOptions } from 'polygate/proxy';

declare const gateway: Polygate;
declare const options: ProxyOptions;

// For saveTo, SaveToOptions, SavedFile
export async function saveImage() {
  const image = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
  const { path, bytes } = await saveTo(gateway, image, 'images/', { overwrite: true });
  console.log(`${path}: ${bytes} bytes`);
}

// For NodeFetch, NodeFetchOptions, NodeFetchDispatcher
export async function throughProxy() {
  await using proxied = nodeFetch({ proxy: 'env', connections: 20 });
  const client = new Polygate({ fetch: proxied });
  await client.models.list();
}

// For NodeHandler, WebHandler
export function serve() {
  const handler: WebHandler = (request) => new Response(`You requested ${request.url}`);
  const handle = toNodeHandler(handler);
  createServer((request, response) => void handle(request, response)).listen(3000);
}

// For FileStore
export async function limitUsers() {
  const store = fileStore('./proxy-store.jsonl');
  await store.ready();
  process.once('SIGTERM', () => void store.close());
  return createProxyHandler({ ...options, store, limits: { usd: 1 }, isolate: true });
}
