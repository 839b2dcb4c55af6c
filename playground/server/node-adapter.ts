import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Handles a `node:http` request with a function from `Request` to `Response`. */
export async function handleNodeRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const disconnect = new AbortController();
  // If the page disconnects or aborts, its concurrency slot at the gateway is released.
  outgoing.on('close', () => disconnect.abort());
  try {
    const response = await handle(toRequest(incoming, disconnect.signal));
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
        for await (const chunk of incoming) controller.enqueue(chunk);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  const streaming = { duplex: 'half' };
  return new Request(target, { method, headers, signal, body, ...streaming });
}
