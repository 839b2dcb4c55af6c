import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

import { ConfigurationError } from '../../../errors/base.ts';
import { describeNearest, nameOf } from './difference.ts';
import { formatEvent } from './events.ts';
import { canonical, mapStrings } from './json.ts';
import { toNetworkError } from './network-failure.ts';
import { observe, toRecorded } from './observed-request.ts';
import type { Redactor } from './redactor.ts';
import { replayedHeaders } from './response-headers.ts';
import type { RecordedRequest, RecordedResponse, Recording, TapeContent } from './tape-file.ts';
import { linkHost, recordedGateway, restoreGateway } from './urls.ts';

/** Statuses whose responses have no body. */
const withoutBody = new Set([204, 205, 304]);

/** How to record again. */
export const deleteAdvice = 'To record again, delete the tape.';

/** How recordings are replayed. */
interface PlayOptions {
  readonly timing: boolean;
  readonly charges: boolean;
  /** Returns the path of a file that belongs to the tape. */
  readonly fileOf: (name: string) => string;
  /** Called when a request follows the last one of the tape. Returns how to record again. */
  readonly onPastEnd: () => string;
}

/** How often the last response of a provisional tape is repeated. A run that waits for a task would poll it forever. */
const maxRepeats = 20;

/** Responds to requests with their recordings. Sends nothing. */
export class Player {
  /** The recordings of each request, in their order. */
  readonly #tracks = new Map<string, Recording[]>();
  readonly #unused: Set<Recording>;
  readonly #recordings: readonly Recording[];
  readonly #redactor: Redactor;
  readonly #options: PlayOptions;
  /** How many responses may still be repeated after all recordings were used. */
  #repeatsLeft: number;
  /** Whether each request so far was on the tape. */
  foundAll = true;

  constructor({ recordings, provisional }: TapeContent, redactor: Redactor, options: PlayOptions) {
    this.#recordings = recordings;
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
    const { request } = await observe(input, init);
    const { url, signal } = request;
    signal?.throwIfAborted();
    const isLink = url.hostname === linkHost;
    const toGateway = toRecorded(request, this.#redactor, isLink ? recordedGateway : url.origin);
    // A request to another host than the gateway is on the tape with its host.
    const isKnown = isLink || this.#tracks.has(canonical(toGateway));
    const toHost = isKnown ? toGateway : toRecorded(request, this.#redactor, recordedGateway);
    const recording = this.#take(this.#tracks.has(canonical(toHost)) ? toHost : toGateway);
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

  #take(request: RecordedRequest): Recording {
    const track = this.#tracks.get(canonical(request));
    const recording = track?.find((each) => this.#unused.has(each));
    // A poll can be repeated for as long as the last state lasts.
    const repeated = request.method === 'GET' ? track?.at(-1) : undefined;
    const isAtEnd = this.foundAll && this.#unused.size === 0;
    if (repeated && isAtEnd) this.#repeatsLeft -= 1;
    const found = recording ?? (this.#repeatsLeft < 0 ? undefined : repeated);
    if (found) {
      this.#unused.delete(found);
      return found;
    }
    this.foundAll = false;
    const reason = isAtEnd
      ? ' All recordings were used: the run that recorded it may have failed before this request.'
      : '';
    const advice = isAtEnd ? this.#options.onPastEnd() : deleteAdvice;
    const problem = repeated
      ? `its last response was repeated ${maxRepeats} times.`
      : track
        ? `it was recorded ${track.length === 1 ? 'once' : `${track.length} times`}, and all recordings were used.`
        : `it is not on the tape. ${describeNearest(
            request,
            this.#recordings.map((each) => each.request),
          )}`;
    throw new ConfigurationError(
      `${nameOf(request)}: ${problem}${reason} Nothing was sent. ${advice}`,
      { outcome: 'not-sent' },
    );
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
