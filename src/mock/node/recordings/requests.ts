import { isUtf8 } from 'node:buffer';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseExactJson, canonical } from './json.ts';
import type { Redactor } from './redactor.ts';
import type { RecordedRequest } from './tape-file.ts';

/** A request that a client sends. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly signal: AbortSignal | undefined;
}

/** Reads a request without consuming it. Returns the input with which it can still be sent. */
export async function observe(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<{ request: ObservedRequest; send: [string | URL | Request, RequestInit | undefined] }> {
  const { body } = init;
  // A body that can be read only once is read from a copy.
  const isReadOnce = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  const whole = input instanceof Request || isReadOnce ? new Request(input, init) : undefined;
  const copy = whole?.clone() ?? new Response(body ?? null);
  const headers = new Headers(whole?.headers ?? init.headers);
  // `fetch` derives it from the body, too.
  const contentType = copy.headers.get('content-type');
  if (contentType !== null && !headers.has('content-type'))
    headers.set('content-type', contentType);
  const request = {
    method: (whole?.method ?? init.method ?? 'GET').toUpperCase(),
    url: new URL(input instanceof Request ? input.url : input),
    headers,
    body: new Uint8Array(await copy.arrayBuffer()),
    signal: init.signal ?? whole?.signal,
  };
  return { request, send: whole ? [whole, undefined] : [input, init] };
}

/** A request as it is stored on a tape, and compared with those on it. */
export function toRecorded(
  { method, url, headers, body }: ObservedRequest,
  redactor: Redactor,
  gateway: string | undefined,
): RecordedRequest {
  redactor.learnKeys(headers, url);
  const path = redactor.address(new URL(url), gateway);
  if (body.length === 0) return { method, path };
  return { method, path, body: redactedBody(body, headers, redactor) };
}

function redactedBody(body: Uint8Array, headers: Headers, redactor: Redactor): unknown {
  const bytes = Buffer.from(body);
  const contentType = headers.get('content-type') ?? '';
  // As one character per byte, so that files in a form stay as they are.
  const raw = withoutBoundary(bytes.toString('latin1'), contentType);
  const stored = Buffer.from(raw, 'latin1');
  if (!isUtf8(stored)) return `base64:${redactedForm(raw, redactor).toString('base64')}`;
  const text = stored.toString();
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return redactor.query(new URLSearchParams(text)).toString();
  }
  const json = parseExactJson(text);
  return json === undefined ? redactor.requestText(text) : redactor.request(json);
}

/** A form with files: its texts and its files are redacted one by one, because only the texts are in UTF-8. */
function redactedForm(raw: string, redactor: Redactor): Buffer {
  const parts = raw.split(/(\r\n\r\n|\r\n--boundary)/).map((part) => {
    const bytes = Buffer.from(part, 'latin1');
    return isUtf8(bytes)
      ? Buffer.from(redactor.requestText(bytes.toString()))
      : redactor.file(bytes);
  });
  return Buffer.concat(parts);
}

/** Replaces the boundary of a form, which is chosen at random for each request. */
function withoutBoundary(form: string, contentType: string): string {
  // The content type is not known yet if `fetch` adds it. The first line of a form is its boundary.
  const [, boundary] =
    /boundary="?([^";]+)/.exec(contentType) ??
    /^--(\S{10,70})\r\ncontent-disposition:/i.exec(form) ??
    [];
  return boundary === undefined ? form : form.replaceAll(boundary, 'boundary');
}

/** How much of a value a message shows. */
const maxShownLength = 80;

/** How much of it is before the first difference. */
const shownBefore = 30;

/** How many differences a message shows. */
const maxDifferences = 3;

/** Method and path of a request, for messages. */
export function nameOf({ method, path }: RecordedRequest): string {
  return `${method} ${path}`;
}

/** Describes the recorded request that is most like another one, and how they differ. */
export function describeNearest(
  request: RecordedRequest,
  recorded: readonly RecordedRequest[],
): string {
  const ranked = recorded
    .map((candidate, index) => ({
      candidate,
      index,
      differences: differencesOf(candidate, request),
    }))
    .toSorted((a, b) => distance(a, request) - distance(b, request));
  const [nearest] = ranked;
  if (nearest === undefined) return 'The tape is empty.';
  const listed = nearest.differences.slice(0, maxDifferences).join('; ');
  const more = nearest.differences.length - maxDifferences;
  return `The nearest recording is number ${nearest.index + 1}, ${nameOf(nearest.candidate)}. Differences: ${listed}${more > 0 ? `; and ${more} more` : ''}.`;
}

function distance(
  { candidate, differences }: { candidate: RecordedRequest; differences: readonly string[] },
  request: RecordedRequest,
): number {
  const isOtherRoute = candidate.method !== request.method || candidate.path !== request.path;
  return differences.length + (isOtherRoute ? 1_000 : 0);
}

function differencesOf(recorded: RecordedRequest, sent: RecordedRequest): string[] {
  return [...compare('', recorded, sent)];
}

function* compare(path: string, recorded: unknown, sent: unknown): Generator<string> {
  if (canonical(recorded) === canonical(sent)) return;
  const [onTape, inRequest] = [fieldsOf(recorded), fieldsOf(sent)];
  if (!onTape || !inRequest || Array.isArray(recorded) !== Array.isArray(sent)) {
    const [one, other] = [recorded, sent].map((value) => JSON.stringify(value) ?? 'nothing');
    yield `${path}: ${describePair(one ?? '', other ?? '')}`;
    return;
  }
  for (const name of new Set([...Object.keys(onTape), ...Object.keys(inRequest)])) {
    yield* compare(path === '' ? name : `${path}.${name}`, onTape[name], inRequest[name]);
  }
}

/** The fields of an object, or the items of an array by their index. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (Array.isArray(value)) return Object.fromEntries(value.entries());
  return isRecord(value) ? value : undefined;
}

/** Two texts, from shortly before the first difference if one of them is long. */
function describePair(recorded: string, sent: string): string {
  let same = 0;
  while (same < recorded.length && recorded[same] === sent[same]) same += 1;
  const isShort = Math.max(recorded.length, sent.length) <= maxShownLength;
  const start = isShort ? 0 : Math.max(0, same - shownBefore);
  const shown = (text: string) => {
    const end = start + maxShownLength;
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
  };
  const position = start > 0 ? `, which differ after ${same} characters` : '';
  return `${shown(recorded)} on the tape, ${shown(sent)} in the request${position}`;
}
