/** A process with a proxy on a socket, whose limits are in Redis. Reports its origin to its parent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Redis } from 'ioredis';
import { toNodeHandler } from 'polygate/node';
import { createProxyHandler } from 'polygate/proxy';
import { redisStore } from 'polygate/proxy/redis';

import type { ProxySettings } from './settings.ts';

const settings: ProxySettings = JSON.parse(process.argv[2] ?? '');
const { apiKey, baseURL, redis, limits } = settings;

const client = new Redis(redis, { retryStrategy: () => 20 });
client.on('error', () => undefined);
const handler = createProxyHandler({
  apiKey,
  baseURL,
  authorize: ({ headers }) => headers.get('x-user'),
  limits,
  store: redisStore(client),
});
const listener = toNodeHandler(handler);
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ origin: `http://127.0.0.1:${port}` });
});
process.on('disconnect', () => process.exit());
