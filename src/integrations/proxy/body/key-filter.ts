/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

type Bytes = Uint8Array<ArrayBuffer>;

const replacement: Bytes = new TextEncoder().encode('(the API key)');

/**
 * Removes the API key from a body that arrives in chunks: a gateway can repeat it in the record of a task that has failed, or
 * in the error of a stream. Holds back the end of a chunk only if it could be the beginning of the key.
 */
export class KeyFilter {
  readonly #key: Uint8Array;
  #held: Bytes = new Uint8Array();

  constructor(key: string) {
    this.#key = new TextEncoder().encode(key);
  }

  /** What may be passed on after this chunk. */
  add(chunk: Bytes): Bytes {
    const bytes = this.#held.length > 0 ? joined([this.#held, chunk]) : chunk;
    const parts: Bytes[] = [];
    let start = 0;
    let at = this.#find(bytes, 0);
    for (; at + this.#key.length <= bytes.length; at = this.#find(bytes, start)) {
      parts.push(bytes.subarray(start, at), replacement);
      start = at + this.#key.length;
    }
    this.#held = bytes.slice(at);
    const rest = bytes.subarray(start, at);
    return parts.length > 0 ? joined([...parts, rest]) : rest;
  }

  /** What is left at the end of the body. */
  end(): Bytes {
    return this.#held;
  }

  /** Where the key, or its beginning at the end of the bytes, begins; the length of the bytes if nowhere. */
  #find(bytes: Bytes, from: number): number {
    const [first = 0] = this.#key;
    let at = bytes.indexOf(first, from);
    while (at >= 0 && !this.#isAt(bytes, at)) at = bytes.indexOf(first, at + 1);
    return at >= 0 ? at : bytes.length;
  }

  #isAt(bytes: Bytes, at: number): boolean {
    const end = Math.min(this.#key.length, bytes.length - at);
    for (let index = 1; index < end; index += 1) {
      if (bytes[at + index] !== this.#key[index]) return false;
    }
    return true;
  }
}

/** The filter for a body of this type; undefined if it contains no text, or there is no key. */
export function keyFilterFor(headers: Headers, apiKey: string | undefined): KeyFilter | undefined {
  const isMedia = /^(image|video|audio)\/(?!svg)|octet-stream/i.test(
    headers.get('content-type') ?? '',
  );
  if (apiKey === undefined || apiKey.length < minKeyLength || isMedia) return undefined;
  return new KeyFilter(apiKey);
}

function joined(parts: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
