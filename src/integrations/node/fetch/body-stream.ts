import { pipeline } from 'node:stream';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

import type { BodyReader } from '../../../internal.ts';

/** Cancels what can no longer be read, so that its connection does not stay open forever. */
const abandoned = new FinalizationRegistry<() => void>((cancel) => cancel());

/** Calls `cancel` once `owner` has been garbage collected. `cancel` must not refer to it. */
export function whenAbandoned(owner: object, cancel: () => void): void {
  abandoned.register(owner, cancel, owner);
}

/** Undoes {@link whenAbandoned}, because something else reads from now on. */
export function handOver(owner: object): void {
  abandoned.unregister(owner);
}

/** A web stream that reads on demand. */
export function toStream(reader: BodyReader): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source: UnderlyingByteSource = {
    type: 'bytes',
    async pull(controller) {
      const { done, value } = await readBytes(reader);
      if (done) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else if (value) {
        // A byte stream takes ownership of the buffer that it is given, which may contain other data.
        controller.enqueue(new Uint8Array(value));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  };
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  whenAbandoned(stream, () => void reader.cancel());
  return stream;
}

/** A byte stream does not accept an empty chunk. */
async function readBytes(reader: BodyReader): ReturnType<BodyReader['read']> {
  for (;;) {
    const result = await reader.read();
    if (result.done || result.value?.byteLength) return result;
  }
}

/** The error for a body that has been read before. */
export const unusable = (): TypeError =>
  new TypeError('Body is unusable: Body has already been read');

/** Decoders by content coding. Unlike those of `fetch`, they fail if the data ends early. */
const decoders: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  br: zlib.createBrotliDecompress,
};

/** `deflate` is zlib data, and raw data from servers that misread the specification. The first byte differs. */
const inflate = (first: Uint8Array): Transform =>
  ((first[0] ?? 8) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();

/** Returns the reader of the decoded body. Unknown codings are left as they are. */
export function decodeBody(body: BodyReader, contentEncoding: string): BodyReader {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const isKnown = codings.every((coding) => coding === 'deflate' || decoders[coding]);
  if (!isKnown || codings.length === 0 || codings.length > 5) return body;
  return codings.reduceRight(decodeOne, body);
}

function decodeOne(body: BodyReader, coding: string): BodyReader {
  let opened: ReturnType<typeof open> | undefined;
  let isCanceled = false;
  return {
    async read() {
      const decoded = await (opened ??= open(body, coding));
      if (isCanceled || decoded === undefined) return { done: true };
      const next = await decoded.chunks.next();
      return next.done ? { done: true } : { done: false, value: next.value };
    },
    async cancel(reason) {
      isCanceled = true;
      await body.cancel(reason);
      (await opened?.catch(() => undefined))?.decoder.destroy();
    },
  };
}

/** Starts to decode. An empty body is empty in every coding. */
async function open(body: BodyReader, coding: string) {
  const { done, value } = await body.read();
  if (done || value === undefined) return undefined;
  const decoder = decoders[coding]?.() ?? inflate(value);
  let cause: unknown;
  const chunks = async function* () {
    yield value;
    for (;;) {
      const next = await body.read().catch((error: unknown) => Promise.reject((cause = error)));
      if (next.done) return;
      yield next.value;
    }
  };
  pipeline(chunks(), decoder, () => undefined);
  return { decoder, chunks: readAll(decoder, () => cause) };
}

/** Reads what the decoder has decoded. An error of the connection takes precedence over what the decoder makes of it. */
async function* readAll(
  decoder: Transform,
  connectionError: () => unknown,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of decoder) yield chunk;
    return undefined;
  } catch (error) {
    throw connectionError() ?? new TypeError('terminated', { cause: error });
  }
}
