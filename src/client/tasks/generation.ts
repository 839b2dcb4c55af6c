import type { ResponseMeta } from '../../wire/types/meta.ts';
import { redactKeys } from '../../wire/types/redact-key.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { taskStatusOf } from '../../wire/types/tasks/task.ts';
import type {
  Generation,
  GenerationFields,
  TaskError,
  TaskKind,
  TaskRecords,
  TaskStatus,
} from '../../wire/types/tasks/task.ts';
import { isNonEmptyString, isRecord, textOf } from '../../wire/types/type-guards.ts';
import type { CallHistory } from '../call/history.ts';
import type { ReadResult } from '../call/response.ts';
import { noReason } from '../http/failure.ts';
import { redactedKey } from '../http/response-meta.ts';

/**
 * Creates a reader for every shape of task record that gateways of this kind send. If a record has no id, it is that of
 * the task that is polled, or the one in the headers. Assumptions A3 to A7.
 */
export function readGeneration<Kind extends TaskKind>(kind: Kind) {
  return (
    body: unknown,
    meta: () => ResponseMeta,
    call: Pick<CallHistory, 'request' | 'keys'>,
  ): ReadResult<Generation<Kind>> => {
    const { task } = call.request;
    if (!isRecord(body)) return { issues: [{ message: 'must be a task record' }] };
    const record = unwrap(body);
    const reported = reportedStatus(record);
    const ids = [record.id, record.task_id, body.id, body.task_id];
    // The response to a submission that has an id and no status is that of a new task, which can repeat its input.
    const isNew = reported === undefined && task === undefined && ids.map(textOf).some(Boolean);
    const urls = findUrls(record, kind, { reported, isNew });
    // Without a status, a record with a result is a finished task, and any other record a new one.
    const claimed = reported ?? (urls.length > 0 ? 'succeeded' : 'queued');
    const status =
      claimed === 'succeeded' && urls.length === 0 && hasError(record) ? 'failed' : claimed;
    const id =
      ids.map(exactIdOf).find(isNonEmptyString) ??
      task?.id ??
      meta().taskId ??
      copyIn([record.poll_url, record.status_url, meta().headers.get('location')], ids);
    if (status === 'succeeded' && urls.length === 0) return missingResult(id);
    if (status !== 'succeeded' && id === undefined) return missingTask(ids);
    const generation: GenerationFields<Kind> & Pick<Generation, 'status' | 'urls' | 'error'> = {
      // See `hasId`.
      id: id ?? '',
      kind,
      rawStatus: textOf(record.status) ?? '',
      progress: parseProgress(record.progress),
      model: textOf(record.model),
      createdAt: parseDate(record.created_at ?? record.created),
      raw: unchecked<TaskRecords[Kind]>(record),
      status,
      urls,
      error: status === 'failed' ? parseTaskError(record, call.keys) : undefined,
    };
    // The compiler does not see that `urls` and `error` fit the status.
    return { value: unchecked<Generation<Kind>>(generation) };
  };
}

/** The record, which may be wrapped in `data` or `task`. Assumption A6. */
function unwrap(body: Record<string, unknown>): Record<string, unknown> {
  if (body.status !== undefined) return body;
  return [body.data, body.task].find(isRecord) ?? body;
}

/** The status in a record; undefined if it has none. A task with an unknown status has not ended. Assumption A4. */
function reportedStatus(record: Record<string, unknown>): TaskStatus | undefined {
  const word = textOf(record.status) ?? textOf(record.raw_status);
  return word === undefined ? undefined : (taskStatusOf(word) ?? 'running');
}

/** A task that cannot be polled, because its id is not known exactly. */
function missingTask(ids: readonly unknown[]): ReadResult<never> {
  if (ids.map(textOf).every((id) => id === undefined))
    return { issues: [{ message: 'id: missing' }] };
  const message =
    'the id of the task is not exact: it is a number above 2^53, which JavaScript rounds, and no text or header repeats it';
  const advice =
    'The task was accepted and is not polled under a wrong id. Ask the service for the task of this request, and to send ids as text.';
  // The response to a retry has the same id.
  return { issues: [{ message }], advice, programAdvice: undefined };
}

/** A task that has ended without a result. */
function missingResult(id: string | undefined): ReadResult<never> {
  const issues = [{ message: 'the task has succeeded without a URL' }];
  if (id === undefined) return { issues };
  const advice = `Task ${id} has ended and was charged. Contact the service with its id instead of waiting again.`;
  // Without the usual advice to programs, to wait for the task.
  return { issues, taskId: id, advice, programAdvice: undefined };
}

/** An id as text, unless it is a number that JSON.parse has rounded. */
function exactIdOf(id: unknown): string | undefined {
  return typeof id === 'number' && !Number.isSafeInteger(id) ? undefined : textOf(id);
}

/** The exact copy of a rounded id in the URL of the task. */
function copyIn(urls: readonly unknown[], ids: readonly unknown[]): string | undefined {
  return urls
    .flatMap((url) => textOf(url)?.match(/\d{16,}/g) ?? [])
    .find((digits) => ids.includes(Number(digits)));
}

const media = ['video_url', 'image_url', 'audio_url'];
const lists = [...media, 'outputs', 'images', 'videos', 'audios'];

/** Where a record has URLs, or lists of them, in order: the field that holds the fields, or the record itself. */
const locations: readonly { readonly holder?: string; readonly fields: readonly string[] }[] = [
  { fields: media },
  { holder: 'result', fields: lists },
  { holder: 'output', fields: lists },
  { fields: ['data', 'results', 'url', 'result_url', 'output', 'outputs'] },
  { holder: 'metadata', fields: ['url'] },
  { holder: 'content', fields: ['video_url'] },
];

/** The URLs of a record, without duplicates. Assumption A5. */
function findUrls(
  record: Record<string, unknown>,
  kind: TaskKind,
  { reported, isNew }: { reported: TaskStatus | undefined; isNew: boolean },
): string[] {
  const urls = new Set<string>();
  for (const { holder, fields } of locations) {
    const place = holder === undefined ? record : record[holder];
    if (isRecord(place)) for (const field of fields) addUrls(urls, place[field]);
  }
  // Old succeeded tasks have their result URL in `fail_reason`.
  if (reported === 'succeeded') addUrls(urls, record.fail_reason);
  const mayHaveResult = reported === undefined || reported === 'succeeded';
  if (urls.size === 0 && !mayHaveResult) return [];
  // Such as the picture that a video was made from. It is the result only if there is no other.
  const others = new Set<string>();
  for (const name of media) if (name !== `${kind}_url`) addUrls(others, record[name]);
  const results = [...urls].filter((url) => !others.has(url));
  if (isNew) return results;
  if (results.length > 0 || !mayHaveResult) return [...urls];
  // A text in these fields, or any value beside a result, is more likely to be an input.
  const own = new Set<string>();
  addUrls(own, [record[kind], record[`${kind}s`]].flat().filter(isRecord));
  return [...(own.size > 0 ? own : urls)];
}

/** Adds the URL in a field, or those in the list that it has. Most fields of most records are missing. */
function addUrls(urls: Set<string>, field: unknown): void {
  if (!field) return;
  for (const item of Array.isArray(field) ? field : [field]) {
    const url = urlOf(item);
    if (url) urls.add(url);
  }
}

/** The URL of an item of a list, if it has one. */
function urlOf(item: unknown): string | undefined {
  const address = isRecord(item) ? addressIn(item) : item;
  const isURL = typeof address === 'string' && /^(https?:\/\/|data:)/i.test(address);
  return isURL ? address : undefined;
}

function addressIn(item: Record<string, unknown>): unknown {
  const named = media.map((name) => item[name]).find(isNonEmptyString);
  return item.url ?? named ?? dataURL(textOf(item.b64_json));
}

/** A data URL for base64 data; the first bytes identify the media type. */
function dataURL(data: string | undefined): string | undefined {
  const type = data?.startsWith('/9j/') ? 'jpeg' : data?.startsWith('UklGR') ? 'webp' : 'png';
  return data && `data:image/${type};base64,${data}`;
}

function parseProgress(value: unknown): number | undefined {
  const percent = Number.parseFloat(textOf(value) ?? '');
  return Number.isNaN(percent) ? undefined : Math.min(100, Math.max(0, percent));
}

/** Fields that say that a task has failed. */
const failures = ['error', 'failure', 'error_message'];

/** Fields that say why a task has failed, as a text or as an object with one. */
const reasons = [
  'error',
  'failure',
  'fail_reason',
  'failure_reason',
  'error_message',
  'reason',
  'message',
];

/** Whether a task that is `done` or `finished` has failed. The error of one that has not can be an object without content. */
const hasError = (record: Record<string, unknown>) =>
  failures.some((name) => {
    const source = record[name];
    const code = isRecord(source) && source.code;
    return source === true || Boolean(code) || Boolean(reasonIn(source));
  });

/** The reason in a field; undefined if it is empty. */
const reasonIn = (source: unknown): string | undefined =>
  isRecord(source)
    ? (textOf(source.message) ?? textOf(source.reason))
    : textOf(source || undefined);

/** Why a task has failed, which is shown, and must not contain an API key that the service repeats. */
function parseTaskError(record: Record<string, unknown>, keys: readonly string[] = []): TaskError {
  const sources = reasons.map((name) => record[name]);
  const codes = sources.filter(isRecord).map(({ code }) => code);
  const code = [...codes, record.error_code].map(textOf).find(Boolean);
  return {
    message: redactKeys(sources.map(reasonIn).find(Boolean) ?? noReason, keys, redactedKey),
    code: code && redactKeys(code, keys, redactedKey),
  };
}

/** Parses Unix seconds, Unix milliseconds and ISO 8601. */
function parseDate(value: unknown): Date | undefined {
  const date = new Date(
    typeof value === 'number' ? value * (value < 1e11 ? 1_000 : 1) : (textOf(value) ?? ''),
  );
  return Number.isNaN(date.getTime()) ? undefined : date;
}
