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
