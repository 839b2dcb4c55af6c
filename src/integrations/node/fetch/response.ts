import { direct } from '../../../internal.ts';
import type { BodyReader, DirectResponse } from '../../../internal.ts';
import { handOver, toStream, unusable, whenAbandoned } from './body-stream.ts';
import type { ResponseHead } from './exchange.ts';
import { createHeaders, headerValue } from './exchange.ts';

/** What a response is made of. */
export interface ReceivedResponse {
  readonly head: ResponseHead;
  readonly url: string;
  readonly redirected: boolean;
  /** Undefined if the response cannot have a body. */
  readonly body: BodyReader | undefined;
  /** Closes the connection of a body that nothing can read anymore. Undefined if it has been received. */
  readonly abandon: (() => void) | undefined;
}

/**
 * A `Response` whose headers and body are created when they are first read. The client reads it directly instead, which
 * costs a fraction. It is an instance of `Response`, but does not call its constructor.
 */
export class NodeResponse implements Response, DirectResponse {
  readonly #received: ReceivedResponse;
  #headers: Headers | undefined;
  /** A response of the runtime with the same body, once the body is used. */
  #full: Response | undefined;
  #isOpened = false;

  constructor(received: ReceivedResponse, full?: Response) {
    this.#received = received;
    this.#full = full;
    if (!full && received.abandon) whenAbandoned(this, received.abandon);
  }

  /** A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  get [direct](): DirectResponse | undefined {
    // A body that is already being read is read through its web stream.
    return this.#full ? undefined : this;
  }

  get hasBody(): boolean {
    return this.#received.body !== undefined;
  }

  get(name: string): string | null {
    return this.#headers ? this.#headers.get(name) : headerValue(this.#received.head, name);
  }

  get createHeaders(): () => Headers {
    const { head } = this.#received;
    let headers = this.#headers;
    return () => (headers ??= createHeaders(head));
  }

  openBody(): BodyReader {
    const { body, abandon } = this.#received;
    if (this.#isOpened || !body) throw unusable();
    this.#isOpened = true;
    if (!abandon) return body;
    const reader: BodyReader = {
      read: () => body.read(),
      cancel: (reason) => body.cancel(reason),
    };
    handOver(this);
    whenAbandoned(reader, abandon);
    return reader;
  }

  get status(): number {
    return this.#received.head.status;
  }

  get statusText(): string {
    return this.#received.head.statusText;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get url(): string {
    return this.#received.url;
  }

  get redirected(): boolean {
    return this.#received.redirected;
  }

  get type(): ResponseType {
    return 'basic';
  }

  get headers(): Headers {
    return (this.#headers ??= createHeaders(this.#received.head));
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#open().body;
  }

  get bodyUsed(): boolean {
    return this.#isOpened || (this.#full?.bodyUsed ?? false);
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#open().arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.#open().blob();
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#open().bytes();
  }

  formData(): Promise<FormData> {
    return this.#open().formData();
  }

  json(): Promise<unknown> {
    return this.#open().json();
  }

  text(): Promise<string> {
    return this.#open().text();
  }

  clone(): Response {
    return new NodeResponse(this.#received, this.#open().clone());
  }

  #open(): Response {
    return (this.#full ??= this.#create());
  }

  #create(): Response {
    const { body } = this.#received;
    const { headers } = this;
    if (!body) return new Response(null, { headers });
    if (this.#isOpened) {
      // The client reads the body, so this one only counts as used.
      const used = new Response(new ReadableStream(), { headers });
      used.body?.cancel().catch(() => undefined);
      return used;
    }
    handOver(this);
    return new Response(toStream(body), { headers });
  }
}

// The constructor of `Response` would cost more than everything else here.
Object.setPrototypeOf(NodeResponse.prototype, Response.prototype);
