import { isRecord, textOf } from '../../schemas/record.ts';
import { unchecked } from '../../schemas/schema.ts';
import type {
  Generation,
  TaskError,
  TaskKind,
  TaskRecords,
  TaskStatus,
} from '../../schemas/task.ts';

/** What the words for a status mean; any other word is a task that runs. Assumption A4. */
const meanings: readonly (readonly [TaskStatus, RegExp])[] = [
  ['queued', /^(submitted|queued|pending|not_start)$/i],
  ['succeeded', /^(success|succeeded|completed)$/i],
  ['failed', /^(failed|failure|error|cancell?ed|expired)$/i],
];

/** Every place where a URL, or a list of them, may stand, in order. Assumption A5. */
const places = [
  'video_url image_url audio_url',
  'result.video_url result.image_url result.audio_url',
  'result.outputs result.images result.videos result.audios',
  'output.video_url output.image_url output.audio_url',
  'data results url result_url metadata.url content.video_url',
]
  .flatMap((line) => line.split(' '))
  .map((place) => place.split('.'));

/** A task record in one shape, or what is wrong with it. */
export type ParsedGeneration<Kind extends TaskKind> =
  | { readonly generation: Generation<Kind>; readonly problem?: undefined; readonly id?: string }
  | { readonly problem: string; readonly generation?: undefined; readonly id?: string | undefined };

/**
 * Reads a task out of every shape that services of this family send. `known` is its id where the record names none.
 * Assumptions A3 to A7.
 */
export function parseGeneration<Kind extends TaskKind>(
  kind: Kind,
  body: unknown,
  known: string | undefined,
): ParsedGeneration<Kind> {
  if (!isRecord(body)) return { problem: 'must be a task record' };
  const record = unwrap(body);
  const word = textOf(record.status) ?? textOf(record.raw_status);
  const told = word && (meanings.find(([, words]) => words.test(word))?.[0] ?? 'running');
  const urls = readUrls(record, told === 'succeeded');
  // A record without a status is a finished answer when it holds a result, else a task that has just begun.
  const status = told || (urls.length > 0 ? 'succeeded' : 'queued');
  const id = [record.id, record.task_id, body.id, body.task_id, known].map(textOf).find(Boolean);
  if (status === 'succeeded' && urls.length === 0) {
    return { problem: 'the task has succeeded, but no URL is in its record', id };
  }
  if (id === undefined && status !== 'succeeded') return { problem: 'id: missing' };
  return {
    generation: {
      id: id ?? '',
      kind,
      status,
      rawStatus: textOf(record.status) ?? '',
      progress: readProgress(record.progress),
      urls,
      error: status === 'failed' ? readError(record) : undefined,
      model: textOf(record.model),
      createdAt: readDate(record.created_at ?? record.created),
      raw: unchecked<TaskRecords[Kind]>(record),
    },
  };
}

/** Whether a task is over. */
export function isFinished({ status }: Generation): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The record itself, where it stands under `data` or `task`. Assumption A6. */
function unwrap(body: Record<string, unknown>): Record<string, unknown> {
  const inner = body.status === undefined && [body.data, body.task].find(isRecord);
  return inner || body;
}

function readUrls(record: unknown, succeeded: boolean): string[] {
  // Old tasks keep the URL of their result where the reason of a failure stands.
  const all = succeeded ? [...places, ['fail_reason']] : places;
  const found = all.flatMap((place) => at(record, place)).map(urlOf);
  return [...new Set(found.filter((url) => url !== undefined))];
}

function urlOf(item: unknown): string | undefined {
  const data = at(item, ['b64_json']);
  const url = isRecord(item) ? (item.url ?? (textOf(data) && dataURL(String(data)))) : item;
  return typeof url === 'string' && /^(https?:\/\/|data:)/i.test(url) ? url : undefined;
}

/** Base64 as a URL; its first bytes tell what it is. */
function dataURL(data: string): string {
  const type = data.startsWith('/9j/') ? 'jpeg' : data.startsWith('UklGR') ? 'webp' : 'png';
  return `data:image/${type};base64,${data}`;
}

function readProgress(value: unknown): number | undefined {
  const percent = Number.parseFloat(textOf(value) ?? '');
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : undefined;
}

function readError(record: unknown): TaskError {
  const said = [['error', 'message'], ['error'], ['fail_reason'], ['message']].map((place) =>
    textOf(at(record, place)),
  );
  return {
    message: said.find(Boolean) ?? 'no reason given',
    code: textOf(at(record, ['error', 'code'])),
  };
}

/** Unix seconds, unix milliseconds or ISO 8601. */
function readDate(value: unknown): Date | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const seconds = typeof value === 'number' && value < 1e11;
  const date = new Date(seconds ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A field of a field of a record, as far as there are records. */
function at(record: unknown, place: readonly string[]): unknown {
  let value = record;
  for (const name of place) value = isRecord(value) ? value[name] : undefined;
  return value;
}
