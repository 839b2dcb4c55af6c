import { isUtf8 } from 'node:buffer';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseExactJson } from './json.ts';
import type { Redactor } from './redactor.ts';
import { observe, toRecorded } from './requests.ts';
import type { ObservedRequest } from './requests.ts';
import { redactEvents, splitEvents, keptHeaders } from './responses.ts';
import { toErrorChain, formatTape } from './tape-file.ts';
import type { RecordedResponse, Recording, TapeContent } from './tape-file.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What has been received of a response. */
interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly sentAt: number;
  readonly at: number;
  readonly pieces: { readonly bytes: Uint8Array; readonly at: number }[];
  /** Why the body ended early; undefined if it is complete. */
  failure?: unknown;
  ended: boolean;
}

/** A request that was sent, and what is known of its response. It is redacted when the tape is written. */
interface Take {
  readonly request: ObservedRequest;
  response?: Received;
  failure?: unknown;
  /**
   * Whether the caller aborted. Recorded at the failure, because clients later abort the signals of failed requests.
   */
  wasAborted?: boolean;
}

/** A tape that is continued. */
interface Continued {
  readonly recordings: readonly Recording[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly gateway: string | undefined;
}

/** Sends requests, and records them with their responses as the caller reads them. */
export class Recorder {
  readonly #takes: Take[] = [];
  readonly #fetch: Fetch;
  readonly #timing: boolean;

  constructor(fetch: Fetch, timing: boolean) {
    this.#fetch = fetch;
    this.#timing = timing;
  }

  readonly fetch: Fetch = async (input, init) => {
    const { request, send } = await observe(input, init);
    const take: Take = { request };
    const sentAt = performance.now();
    this.#takes.push(take);
    let response: Response;
    try {
      response = await this.#fetch(...send);
    } catch (error) {
      take.failure = error;
      take.wasAborted = request.signal?.aborted ?? false;
      throw error;
    }
    const { status, statusText, headers, body, url } = response;
    const received: Received = {
      status,
      headers,
      sentAt,
      at: performance.now(),
      pieces: [],
      ended: body === null,
    };
    take.response = received;
    if (body === null) return response;
    const copy = new Response(watch(body, received), { status, statusText, headers });
    return Object.defineProperty(copy, 'url', { value: url });
  };

  /** How many requests were sent. */
  get size(): number {
    return this.#takes.length;
  }

  /** The last request, if it has no successful response. The run has probably failed there. */
  get failed():
    | { readonly request: ObservedRequest; readonly status: number | undefined }
    | undefined {
    const { request, response } = this.#takes.at(-1) ?? {};
    const { status, failure } = response ?? {};
    const isFailed = status === undefined || status >= 400 || failure !== undefined;
    return request && isFailed ? { request, status } : undefined;
  }

  /**
   * The recordings, and the files that belong to them, after those of a tape that is continued. Streams that have not
   * ended yet count as cut off.
   */
  finish(
    redactor: Redactor,
    nameFile: (number: number, mediaType: string) => string,
    before?: Continued,
  ) {
    const files = new Map(before?.files);
    // The first request goes to the gateway. Others may be downloads.
    const gateway = before?.gateway ?? this.#takes[0]?.request.url.origin;
    for (const { request } of this.#takes) redactor.learnKeys(request.headers, request.url);
    const recordings = this.#takes.map((take): Recording => {
      const request = toRecorded(take.request, redactor, gateway);
      if (take.response) {
        const response = this.#finishResponse(
          take.response,
          redactor,
          gateway,
          (bytes, mediaType) => {
            const name = nameFile(files.size + 1, mediaType);
            files.set(name, bytes);
            return name;
          },
        );
        return { request, response };
      }
      if (take.failure === undefined || take.wasAborted) return { request, aborted: true };
      return { request, lost: toErrorChain(take.failure, redactor) };
    });
    return { recordings: [...(before?.recordings ?? []), ...recordings], files };
  }

  #finishResponse(
    response: Received,
    redactor: Redactor,
    gateway: string | undefined,
    storeFile: (bytes: Uint8Array, mediaType: string) => string,
  ): RecordedResponse {
    const { status, headers, sentAt, at, pieces, failure, ended } = response;
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
    const mediaType = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    // The last character of a body that is cut off may be incomplete.
    const isCut = failure !== undefined || !ended;
    const isTextType = /^text\/|json|xml|javascript|^$/.test(mediaType);
    // An error is never a file that was downloaded, whatever its type, and neither is a text with a secret.
    const text = isUtf8(bytes) || (isTextType && isCut) ? bytes.toString() : undefined;
    const isText =
      text !== undefined && (isTextType || status >= 400 || redactor.text(text) !== text);
    const recorded: RecordedResponse = {
      status,
      headers: keptHeaders(headers, !isText, (value) => redactor.header(value, gateway)),
    };
    if (this.#timing) recorded.ms = Math.round(at - sentAt);
    if (mediaType === 'text/event-stream') {
      const { events, ends, rest } = splitEvents(bytes.toString());
      recorded.events = redactEvents(events, redactor, gateway);
      if (rest !== '') recorded.text = redactor.responseText(rest, gateway);
      if (this.#timing) recorded.gaps = gapsOf(ends, pieces, at);
    } else if (bytes.length > 0) {
      const json = isText ? parseExactJson(text) : undefined;
      if (isRecord(json)) recorded.body = redactor.response(json, gateway);
      else if (isText) recorded.text = redactor.responseText(text, gateway);
      else recorded.file = storeFile(redactor.file(bytes), mediaType);
    }
    if (isCut) {
      const cause =
        failure ??
        new TypeError(
          'The recorded run has not read this response to its end. To record it again, delete the tape.',
        );
      recorded.truncated = toErrorChain(cause, redactor);
    }
    return recorded;
  }
}

/** The ms between the events that end at the given bytes. */
function gapsOf(
  ends: readonly number[],
  pieces: readonly { bytes: Uint8Array; at: number }[],
  start: number,
): number[] {
  let previous = start;
  return ends.map((end) => {
    let length = 0;
    const last = pieces.find(({ bytes }) => (length += bytes.length) >= end);
    const gap = Math.round((last?.at ?? previous) - previous);
    previous = last?.at ?? previous;
    return gap;
  });
}

/** The same body, whose pieces are recorded as they are read. */
function watch(body: ReadableStream<Uint8Array>, response: Received): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          response.ended = done;
          if (done) return controller.close();
          response.pieces.push({ bytes: value.slice(), at: performance.now() });
          controller.enqueue(value);
        } catch (error) {
          response.failure = error;
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The path of the folder with the files that belong to a tape, next to it. */
export const folderOf = (path: string): string =>
  join(dirname(path), `${basename(path, extname(path))}.files`);

/** What a tape is made of. */
export interface TapeSource extends Pick<TapeContent, 'provisional'> {
  readonly recorder: Recorder;
  readonly redactor: Redactor;
  /** The tape that is continued. */
  readonly before?: Continued;
}

/**
 * Writes a tape and its files. Each is complete before it replaces the old one. A crash between the two leaves a tape
 * that is reported as damaged if it needs a file that no longer exists.
 */
export async function saveTape(
  path: string,
  { recorder, redactor, provisional, before }: TapeSource,
): Promise<void> {
  const { recordings: list, files } = recorder.finish(
    redactor,
    (number, mediaType) => {
      const extension = /^\w+\/(?:x-)?([a-z0-9]{1,10})/.exec(mediaType)?.[1] ?? 'bin';
      return `${number}.${extension}`;
    },
    before,
  );
  // Symbolic links stay, and their targets are replaced.
  const target = finalPath(path);
  const filesPath = finalPath(folderOf(path));
  for (const file of [target, path, filesPath]) await mkdir(dirname(file), { recursive: true });
  await rm(`${filesPath}.tmp`, { recursive: true, force: true });
  if (files.size > 0) await mkdir(`${filesPath}.tmp`);
  for (const [name, bytes] of files) await writeFile(join(`${filesPath}.tmp`, name), bytes);
  await writeFile(`${target}.tmp`, formatTape({ provisional, recordings: list }));
  await rm(filesPath, { recursive: true, force: true });
  if (files.size > 0) await rename(`${filesPath}.tmp`, filesPath);
  await rename(`${target}.tmp`, target);
}
