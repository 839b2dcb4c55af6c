import type { RecordedBody } from '../shared/lab.ts';

/** Number of bytes to collect, and number of characters to keep. */
const maxBytes = 256 * 1024;
const maxCharacters = 32 * 1024;

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Collects the beginning of a body while it is sent or received. */
export class BodyCollector {
  readonly #contentType: string;
  readonly #redact: Redact;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(contentType: string | null, redact: Redact) {
    this.#contentType = contentType ?? '';
    this.#redact = redact;
  }

  readonly add = (chunk: Uint8Array): void => {
    if (this.#bytes < maxBytes && !this.#isMedia) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  };

  /** The error code in the body, if it is an error of the gateway. */
  get errorCode(): string | undefined {
    return /"code":\s*"([^"]+)"/.exec(this.#text)?.[1];
  }

  /** The id of the material that the body describes. */
  get materialId(): string | undefined {
    return /"id":\s*"(mat_[^"]+)"/.exec(this.#text)?.[1];
  }

  toBody(): RecordedBody {
    const contentType = this.#contentType;
    const bytes = this.#bytes;
    if (this.#isMedia) return { bytes, contentType, isCut: true };
    const text = this.#redact(shortenMedia(this.#text));
    const isCut = bytes > maxBytes || text.length > maxCharacters;
    return { text: text.slice(0, maxCharacters), bytes, contentType, isCut };
  }

  get #isMedia(): boolean {
    return /^(image|audio|video|application\/octet-stream)\b/.test(this.#contentType);
  }

  get #text(): string {
    const decoder = new TextDecoder();
    const stream = this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
    return stream.join('') + decoder.decode();
  }
}

/** Replaces media inside a JSON text by its size: one image can be longer than everything else. */
function shortenMedia(text: string): string {
  return text.replace(
    /(data:[\w.+/-]+;base64,)([\w+/=]{65,})/g,
    (_, prefix: string, data: string) =>
      `${prefix}${data.slice(0, 16)}… (${Math.round((data.length * 3) / 4 / 1024)} KB)`,
  );
}
