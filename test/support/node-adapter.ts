import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A handler as `createProxyHandler` returns it. */
export type Handler = (request: Request) => Promise<Response>;

/** Handles a request of Node's HTTP server with the code shown in docs/browsers-and-proxy.md. */
export async function handleNodeRequest(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.on('close', () => disconnected.abort());
  try {
    const { method = 'GET', headers, url } = incoming;
    const init = { method, headers: headers as HeadersInit, signal: disconnected.signal };
    const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
    const target = `http://${headers.host}${url}`;
    const response = await handler(new Request(target, { ...init, ...body } as RequestInit));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    await pipeline(response.body ?? [], outgoing);
  } catch {
    outgoing.destroy();
  }
}
