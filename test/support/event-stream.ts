import { Polygate } from '../../src/index.ts';
import type { ChatCompletionChunk, ChatStream, PolygateOptions } from '../../src/index.ts';

/** How a body goes on after its last piece. */
type End = 'close' | 'reset' | 'stall';

export const params = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

/** The bytes of a text. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A body that hands out one piece a pull and reads nothing ahead. */
export function body(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[next];
        next += 1;
        if (piece !== undefined)
          controller.enqueue(typeof piece === 'string' ? bytes(piece) : piece);
        else if (end === 'close') controller.close();
        else if (end === 'reset') controller.error(new TypeError('terminated'));
        else return new Promise(() => {});
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Headers of a stream that was charged. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'x-request-id': 'req-7',
  'x-svc-charge-usd': '0.25',
};

/** A `fetch` that answers every request with the pieces. */
export function answering(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
  headers: Record<string, string> = streamHeaders,
): typeof globalThis.fetch {
  return async () => new Response(body(pieces, end), { headers });
}

/** A client that talks to a `fetch`. */
export function clientOf(fetch: typeof globalThis.fetch, options: PolygateOptions = {}): Polygate {
  return new Polygate({
    apiKey: 'sk-test',
    baseURL: 'https://host.example',
    logLevel: 'off',
    maxRetries: 0,
    fetch,
    ...options,
  });
}

/** A streamed chat whose answer is the pieces. */
export function streamOf(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
  options: PolygateOptions & { n?: number } = {},
): ChatStream {
  const { n, ...rest } = options;
  const gateway = clientOf(answering(pieces, end), rest);
  return gateway.chat.completions.stream(n === undefined ? params : { ...params, n });
}

/** An event with this record as its data. */
export function event(record: unknown): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

/** A chunk record. */
export function chunk(choices: readonly unknown[], rest: object = {}): object {
  return { id: 'c-1', object: 'chat.completion.chunk', created: 5, model: 'm', choices, ...rest };
}

/** An event whose choice has this delta. */
export function adds(delta: object, index = 0): string {
  return event(chunk([{ index, delta, finish_reason: null }]));
}

/** An event that says a word. */
export function says(content: string, index = 0): string {
  return adds({ content }, index);
}

/** An event that ends a choice. */
export function stops(reason = 'stop', index = 0): string {
  return event(chunk([{ index, delta: {}, finish_reason: reason }]));
}

export const done = 'data: [DONE]\n\n';

/** What the chunks of a stream say, in order; an empty text for a chunk without words. */
export async function contents(stream: AsyncIterable<ChatCompletionChunk>): Promise<string[]> {
  const said: string[] = [];
  for await (const { choices } of stream) said.push(choices[0]?.delta.content ?? '');
  return said;
}

/** Lets everything run that waits for nothing. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
