/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

type Bytes = Uint8Array<ArrayBuffer>;

const replacement: Bytes = new TextEncoder().encode('(the API key)');

/**
 * Removes the API key from a body that arrives in chunks: a gateway can repeat it in the record of a task that has failed, or
 * in the error of a stream. Holds back the end of a chunk only if it could be the beginning of the key.
 */
export class KeyFilter {
  readonly #forms: readonly Uint8Array[];
  #held: Bytes = new Uint8Array();

  constructor(key: string) {
    this.#forms = formsOf(key).map((form) => new TextEncoder().encode(form));
  }

  /** What may be passed on after this chunk. */
  add(chunk: Bytes): Bytes {
    const bytes = this.#held.length > 0 ? joined([this.#held, chunk]) : chunk;
    const parts: Bytes[] = [];
    let start = 0;
    let found = this.#find(bytes, 0);
    for (; found.end <= bytes.length; found = this.#find(bytes, start)) {
      parts.push(bytes.subarray(start, found.at), replacement);
      start = found.end;
    }
    this.#held = bytes.slice(found.at);
    const rest = bytes.subarray(start, found.at);
    return parts.length > 0 ? joined([...parts, rest]) : rest;
  }

  /** What is left at the end of the body. */
  end(): Bytes {
    return this.#held;
  }

  /** Where the key is, or would end if its beginning is at the end of the bytes; beyond the bytes if nowhere. */
  #find(bytes: Bytes, from: number): { readonly at: number; readonly end: number } {
    let first = { at: bytes.length, end: Infinity };
    for (const form of this.#forms) {
      let at = bytes.indexOf(form[0] ?? 0, from);
      while (at >= 0 && at <= first.at && !isAt(bytes, at, form)) {
        at = bytes.indexOf(form[0] ?? 0, at + 1);
      }
      const end = at + form.length;
      // Of the forms that begin here, the shortest may be complete.
      if (at >= 0 && at <= first.at && (at < first.at || end < first.end)) first = { at, end };
    }
    return first;
  }
}

/** Whether a form of the key, or its beginning at the end of the bytes, is at this position. */
function isAt(bytes: Bytes, at: number, form: Uint8Array): boolean {
  const end = Math.min(form.length, bytes.length - at);
  for (let index = 1; index < end; index += 1) {
    if (bytes[at + index] !== form[index]) return false;
  }
  return true;
}

/** A key as it is, and as JSON writers escape it. */
function formsOf(key: string): string[] {
  const escaped = [/[+=<>&'/]/g, /[+=<>&']/g, /[+<>&'`]/g, /[=<>&']/g, /[<>&]/g].flatMap(
    (special) =>
      [0, 1].map((isUpper) =>
        key.replace(special, (character) => {
          const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
          return `\\u${isUpper ? hex.toUpperCase() : hex}`;
        }),
      ),
  );
  const all = [key, ...escaped];
  return [...new Set([...all, ...all.map((form) => form.replaceAll('/', String.raw`\/`))])];
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
