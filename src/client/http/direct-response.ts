/** Reads the bytes of a body, as `ReadableStreamDefaultReader` does. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** What the client reads of a response: without `Headers` and a web stream, which cost more than the rest of a call. */
export interface DirectResponse {
  /** Whether there is a body, even an empty one. */
  readonly hasBody: boolean;
  /** The value of a header by its name in lower case; null if there is none. */
  get(name: string): string | null;
  /** A function that creates all headers. It does not keep the response and its body in memory. */
  readonly createHeaders: () => Headers;
  /** Opens the body, which then counts as used. */
  openBody(): BodyReader;
}

/** The property of a response that is also a {@link DirectResponse}. Entry points are built separately, and share it. */
export const direct = Symbol.for('polygate.direct-response');

/** A response that may have a direct way to read it. */
type MaybeDirect = Response & { readonly [direct]?: DirectResponse };

/** What a header is read from. */
export type HeaderReader = Pick<Headers, 'get'>;

/** The headers of a response. */
export function headersOf(response: MaybeDirect): HeaderReader {
  return response[direct] ?? response.headers;
}

/** Returns a function that reads all headers, for those who keep them longer than the response and its body. */
export function detachHeaders(response: MaybeDirect): () => Headers {
  const reader = response[direct];
  if (reader) return reader.createHeaders;
  const { headers } = response;
  return () => headers;
}

/** Whether a response has a body, even an empty one. */
export function hasBody(response: MaybeDirect): boolean {
  return response[direct]?.hasBody ?? response.body !== null;
}

/** Opens the body of a response that has a direct way to read it; undefined for all others. */
export function openDirectly(response: MaybeDirect): BodyReader | undefined {
  return response[direct]?.openBody();
}
