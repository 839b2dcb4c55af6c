import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

import { ConfigurationError } from '../../../errors/base.ts';
import { canonical, mapStrings } from './json.ts';
import type { Fetch } from './recorder.ts';
import type { Redactor } from './redactor.ts';
import { linkHost, recordedGateway, redacted, restoreGateway } from './redactor.ts';
import { describeNearest, nameOf, observe, toRecorded } from './requests.ts';
import type { ObservedRequest } from './requests.ts';
import { formatEvent, replayedHeaders } from './responses.ts';
import { toNetworkError } from './tape-file.ts';
import type { RecordedRequest, RecordedResponse, Recording, TapeContent } from './tape-file.ts';

/** Statuses whose responses have no body. */
const withoutBody = new Set([204, 205, 304]);

/** How to record again. */
const deleteAdvice = 'To record again, delete the tape.';

/** How to complete a tape. */
const continueAdvice =
  "The tape may be incomplete, because its run has not called tape.save(). To record the rest, run the test with mode 'auto' and without the environment variable CI. " +
  deleteAdvice;

/** How recordings are replayed. */
interface PlayOptions {
  readonly timing: boolean;
  readonly charges: boolean;
  /** Returns the path of a file that belongs to the tape. */
  readonly fileOf: (name: string) => string;
  /** What happens after the end of a provisional tape. Undefined if nothing may be sent. */
  readonly atEnd:
    | {
        /** Sends and records the requests from this one on, which is not on the tape. */
        readonly start: (name: string) => Fetch;
        /** Makes the next run record from the beginning. */
        readonly deleteTape: () => void;
      }
    | undefined;
}

/** How often the last response of a provisional tape is repeated. A run that waits for a task would poll it forever. */
const maxRepeats = 20;

/** Responds to requests with their recordings. Sends nothing. */
export class Player {
  /** The recordings of each request, in their order. */
  readonly #tracks = new Map<string, Recording[]>();
  readonly #unused: Set<Recording>;
  readonly #recordings: readonly Recording[];
  readonly #isProvisional: boolean;
  readonly #redactor: Redactor;
  readonly #options: PlayOptions;
  /** How many responses may still be repeated after all recordings were used. */
  #repeatsLeft: number;
  /** Sends and records requests after the end of the tape. */
  #live: Fetch | undefined;
  /** Whether each request so far was on the tape. */
  foundAll = true;
  /** The origin of the gateway, once there was a request to it. */
  gateway: string | undefined;

  constructor({ recordings, provisional }: TapeContent, redactor: Redactor, options: PlayOptions) {
    this.#recordings = recordings;
    this.#isProvisional = provisional === true;
    this.#repeatsLeft = provisional ? maxRepeats : Infinity;
    this.#redactor = redactor;
    this.#options = options;
    this.#unused = new Set(recordings);
    for (const recording of recordings) {
      const key = canonical(recording.request);
      this.#tracks.set(key, [...(this.#tracks.get(key) ?? []), recording]);
    }
  }

  /** The recorded requests that were not made. */
  get unused(): RecordedRequest[] {
    return Array.from(this.#unused, ({ request }) => request);
  }

  /** A base URL with which requests have the recorded paths. */
  get baseURL(): string {
    const [, path = ''] =
      this.#recordings.map((each) => /^(\/.*?)?\/v1\//.exec(each.request.path)).find(Boolean) ?? [];
    return recordedGateway + path;
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (this.#live) return this.#live(input, init);
    const { request, send } = await observe(input, init);
    const { url, signal } = request;
    signal?.throwIfAborted();
    const isLink = url.hostname === linkHost;
    if (!isLink) this.gateway ??= url.origin;
    const toGateway = toRecorded(request, this.#redactor, isLink ? recordedGateway : url.origin);
    // A request to another host than the gateway is on the tape with its host.
    const isKnown = isLink || this.#tracks.has(canonical(toGateway));
    const toHost = isKnown ? toGateway : toRecorded(request, this.#redactor, recordedGateway);
    const asRecorded = this.#tracks.has(canonical(toHost)) ? toHost : toGateway;
    const recording = this.#take(asRecorded);
    if (!recording) {
      this.#live ??= this.#continue(request, asRecorded);
      return this.#live(...send);
    }
    const { response, lost } = recording;
    if (lost) throw toNetworkError(lost);
    if (!response) return untilAborted(signal);
    if (this.#options.timing) await setTimeout(response.ms, undefined, { signal });
    const { status } = response;
    const headers = replayedHeaders(response.headers, {
      ...this.#options,
      method: request.method,
      status,
      origin: url.origin,
    });
    const body = withoutBody.has(status) ? null : this.#bodyOf(response, url.origin, signal);
    return Object.defineProperty(new Response(body, { status, headers }), 'url', {
      value: url.href,
    });
  };

  #take(request: RecordedRequest): Recording | undefined {
    const track = this.#tracks.get(canonical(request));
    const recording = track?.find((each) => this.#unused.has(each));
    // A poll can be repeated for as long as the last state lasts.
    const repeated = request.method === 'GET' ? track?.at(-1) : undefined;
    if (repeated && this.#isAtEnd) this.#repeatsLeft -= 1;
    const found = recording ?? (this.#repeatsLeft < 0 ? undefined : repeated);
    if (found) this.#unused.delete(found);
    return found;
  }

  get #isAtEnd(): boolean {
    return this.foundAll && this.#unused.size === 0;
  }

  /**
   * How a request that is not on the tape is sent.
   *
   * @throws `ConfigurationError` unless it may be sent, and has what it needs.
   */
  #continue(request: ObservedRequest, asRecorded: RecordedRequest): Fetch {
    const isAtEnd = this.#isAtEnd;
    const { atEnd } = this.#options;
    let advice = isAtEnd && this.#isProvisional ? continueAdvice : deleteAdvice;
    if (isAtEnd && atEnd) {
      const text = `${request.url} ${Buffer.from(request.body).toString()}`;
      const isRedacted = [linkHost, redacted].some((each) => text.includes(each));
      const hasGateway = request.url.origin !== recordedGateway;
      if (hasGateway && !isRedacted) return atEnd.start(nameOf(asRecorded));
      advice = 'To record the rest, give the client an API key and a base URL.';
      if (hasGateway || isRedacted) {
        atEnd.deleteTape();
        advice =
          'It needs a link or a text that the tape does not keep. The tape was deleted, so the next run records again. A tape that tape.save() has written is never deleted.';
      }
    }
    // A client with a budget loads the price list if it can. A tape without it is complete nevertheless.
    if (nameOf(asRecorded) !== 'GET /v1/models') this.foundAll = false;
    const reason = isAtEnd
      ? ' All recordings were used: the run that recorded it may have failed before this request.'
      : '';
    throw new ConfigurationError(
      `${nameOf(asRecorded)}: ${this.#describeMiss(asRecorded)}${reason} Nothing was sent. ${advice}`,
      { outcome: 'not-sent' },
    );
  }

  #describeMiss(request: RecordedRequest): string {
    const track = this.#tracks.get(canonical(request));
    if (!track) {
      const recorded = this.#recordings.map((each) => each.request);
      return `it is not on the tape. ${describeNearest(request, recorded)}`;
    }
    return request.method === 'GET'
      ? `its last response was repeated ${maxRepeats} times.`
      : `it was recorded ${track.length === 1 ? 'once' : `${track.length} times`}, and all recordings were used.`;
  }

  #bodyOf(
    { events, body, text, file, truncated, gaps }: RecordedResponse,
    origin: string,
    signal: AbortSignal | undefined,
  ): ReadableStream<Uint8Array> {
    const { timing, fileOf } = this.#options;
    const restore = (value: unknown) => mapStrings(value, (each) => restoreGateway(each, origin));
    async function* pieces(): AsyncGenerator<Uint8Array, void> {
      const encoder = new TextEncoder();
      for (const [index, event] of (events ?? []).entries()) {
        if (timing) await setTimeout(gaps?.[index], undefined, { signal });
        yield encoder.encode(formatEvent(restore(event)));
      }
      if (body !== undefined) yield encoder.encode(JSON.stringify(restore(body)));
      if (text !== undefined) yield encoder.encode(text);
      if (file !== undefined) yield await readFile(fileOf(file));
      if (truncated) throw toNetworkError(truncated);
    }
    return toStream(pieces(), signal);
  }
}

/** A stream of pieces, each of which is read on demand. It fails when the signal aborts. */
function toStream(
  pieces: AsyncGenerator<Uint8Array, void>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const abort = () => controller.error(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
      },
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Waits for the abort, as the request that was recorded did. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  if (!signal) {
    return Promise.reject(new DOMException('The recorded request was aborted', 'AbortError'));
  }
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
