import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What `createProxyHandler` makes. */
export type Handler = (request: Request) => Promise<Response>;

/** Answers a request of Node's own server with a handler, in the lines that docs/browsers-and-proxy.md shows. */
export async function answer(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  try {
    const { method = 'GET', headers, url } = incoming;
    const init = { method, headers: headers as HeadersInit, signal: left.signal };
    const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
    const target = `http://${headers.host}${url}`;
    const response = await handler(new Request(target, { ...init, ...body } as RequestInit));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    await pipeline(response.body ?? [], outgoing);
  } catch {
    outgoing.destroy();
  }
}
