import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Answers a request of Node's own server with a function from `Request` to `Response`. */
export async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const left = new AbortController();
  // A page that leaves, or whose stop button is pressed, frees its slot at the gateway.
  outgoing.on('close', () => left.abort());
  try {
    const response = await handle(toRequest(incoming, left.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    await pipeline(response.body ?? Readable.from([]), outgoing);
  } catch {
    outgoing.destroy();
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const target = `http://${incoming.headers.host}${url}`;
  if (method !== 'POST') return new Request(target, { method, headers, signal });
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for await (const piece of incoming) controller.enqueue(piece);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  const streaming = { duplex: 'half' };
  return new Request(target, { method, headers, signal, body, ...streaming });
}
