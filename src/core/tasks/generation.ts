import { unchecked } from '../../schemas/schema.ts';
import type {
  Generation,
  GenerationFields,
  TaskError,
  TaskKind,
  TaskRecords,
  TaskStatus,
} from '../../schemas/task.ts';
import { isRecord, textOf } from '../../schemas/type-guards.ts';
import type { ResponseReader } from '../call/api-call.ts';
import { noReason } from '../http/error-body.ts';

/** The known status words. Any other word means that the task is running. Assumption A4. */
const statusWords: readonly (readonly [TaskStatus, RegExp])[] = [
  ['queued', /^(submitted|queued|pending|not_start)$/i],
  ['succeeded', /^(success|succeeded|completed)$/i],
  ['failed', /^(failed|failure|error|cancell?ed|expired)$/i],
];

/** Every location of a URL or a list of URLs, in order. Assumption A5. */
const urlLocations = [
  'video_url image_url audio_url',
  'result.video_url result.image_url result.audio_url',
  'result.outputs result.images result.videos result.audios',
  'output.video_url output.image_url output.audio_url',
  'data results url result_url metadata.url content.video_url',
]
  .flatMap((line) => line.split(' '))
  .map((location) => location.split('.'));

/** A normalized task record, or why it is invalid. An invalid record may still contain its id. */
export type ParsedGeneration<Kind extends TaskKind> =
  | { readonly generation: Generation<Kind>; readonly problem?: undefined }
  | {
      readonly problem: string;
      readonly generation?: undefined;
      readonly id?: string | undefined;
      /** Whether the task has succeeded nevertheless. */
      readonly succeeded?: boolean;
    };

/**
 * Parses every shape of task record that gateways of this kind send. `knownId` is used if the record has no id.
 * Assumptions A3 to A7.
 */
export function parseGeneration<Kind extends TaskKind>(
  kind: Kind,
  body: unknown,
  knownId: string | undefined,
): ParsedGeneration<Kind> {
  if (!isRecord(body)) return { problem: 'must be a task record' };
  const record = unwrap(body);
  const word = textOf(record.status) ?? textOf(record.raw_status);
  const known = word && (statusWords.find(([, words]) => words.test(word))?.[0] ?? 'running');
  const urls = findUrls(record, known === 'succeeded');
  // Without a status, a record with a result is a finished task, and any other record a new one.
  const status = known || (urls.length > 0 ? 'succeeded' : 'queued');
  const id = [record.id, record.task_id, body.id, body.task_id, knownId].map(textOf).find(Boolean);
  if (id === undefined && status !== 'succeeded') return { problem: 'id: missing' };
  const fields: GenerationFields<Kind> = {
    id: id ?? '',
    kind,
    rawStatus: textOf(record.status) ?? '',
    progress: parseProgress(record.progress),
    model: textOf(record.model),
    createdAt: parseDate(record.created_at ?? record.created),
    raw: unchecked<TaskRecords[Kind]>(record),
  };
  if (status === 'failed') {
    return { generation: { ...fields, status, urls, error: parseTaskError(record) } };
  }
  if (status !== 'succeeded') return { generation: { ...fields, status, urls } };
  const [first, ...rest] = urls;
  return first === undefined
    ? { problem: 'the task has succeeded, but its record contains no URL', id, succeeded: true }
    : { generation: { ...fields, status, urls: [first, ...rest] } };
}

/** Creates a reader for task records. `knownId` is the id to use if the record has none. */
export function readGeneration<Kind extends TaskKind>(
  kind: Kind,
  knownId?: string,
): ResponseReader<Generation<Kind>> {
  return (body, meta) => {
    const parsed = parseGeneration(kind, body, knownId ?? meta.taskId);
    if (parsed.generation !== undefined) return { value: parsed.generation };
    const { problem, id, succeeded } = parsed;
    const taskAdvice = succeeded
      ? `Task ${id} has ended and was charged, so waiting for it again does not help. See error.body for its record, or contact the service with the task id.`
      : undefined;
    return { issues: [{ message: problem }], taskId: id, taskAdvice };
  };
}

/** Whether a task has ended. */
export function isFinished({ status }: Generation): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The record itself, if it is wrapped in `data` or `task`. Assumption A6. */
function unwrap(body: Record<string, unknown>): Record<string, unknown> {
  const inner = body.status === undefined && [body.data, body.task].find(isRecord);
  return inner || body;
}

function findUrls(record: unknown, succeeded: boolean): string[] {
  // Old succeeded tasks have their result URL in `fail_reason`.
  const locations = succeeded ? [...urlLocations, ['fail_reason']] : urlLocations;
  const found = locations.flatMap((location) => valueAt(record, location)).map(urlOf);
  return [...new Set(found.filter((url) => url !== undefined))];
}

function urlOf(item: unknown): string | undefined {
  const data = valueAt(item, ['b64_json']);
  const url = isRecord(item) ? (item.url ?? (textOf(data) && dataURL(String(data)))) : item;
  return typeof url === 'string' && /^(https?:\/\/|data:)/i.test(url) ? url : undefined;
}

/** A data URL for base64 data; the first bytes identify the media type. */
function dataURL(data: string): string {
  const type = data.startsWith('/9j/') ? 'jpeg' : data.startsWith('UklGR') ? 'webp' : 'png';
  return `data:image/${type};base64,${data}`;
}

function parseProgress(value: unknown): number | undefined {
  const percent = Number.parseFloat(textOf(value) ?? '');
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : undefined;
}

function parseTaskError(record: unknown): TaskError {
  const messages = [['error', 'message'], ['error'], ['fail_reason'], ['message']].map((location) =>
    textOf(valueAt(record, location)),
  );
  return {
    message: messages.find(Boolean) ?? noReason,
    code: textOf(valueAt(record, ['error', 'code'])),
  };
}

/** Parses Unix seconds, Unix milliseconds and ISO 8601. */
function parseDate(value: unknown): Date | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const seconds = typeof value === 'number' && value < 1e11;
  const date = new Date(seconds ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The value at a path of field names; undefined if the path does not exist. */
function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value;
}
