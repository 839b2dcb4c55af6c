import type { SucceededGeneration, SubmittedTask } from 'polygate';

import { isRecord } from '../../schemas/type-guards.ts';
import type { Findings } from '../check.ts';
import type { DiagnosisContext } from '../context.ts';
import { list } from '../text.ts';

/** The status words that the client knows. Assumption A4. */
const knownWord =
  /^(submitted|queued|pending|not_start|in_progress|processing|running|success|succeeded|completed|failed|failure|error|cancell?ed|expired)$/i;

/** How the records of a finished task look. Assumptions A3 to A6. */
export async function* recordFindings(
  context: DiagnosisContext,
  result: SucceededGeneration<'image'>,
  task: SubmittedTask<'image'>,
  words: Set<string>,
  isFinished: boolean,
): Findings {
  const record: Record<string, unknown> = { ...result.raw };
  const isDocumented = 'image_url' in record || isRecord(record['result']);
  const fields = list(Object.keys(record));
  yield {
    assumption: 'A3',
    status: 'ok',
    detail: isDocumented
      ? 'Task records have the shape of audio tasks.'
      : `Task records have another shape than audio tasks, which the client reads: ${fields}.`,
  };
  words.add(result.rawStatus);
  const named = [...words].filter(Boolean).map((word) => `"${word}"`);
  const unknown = [...words].filter((word) => word && !knownWord.test(word));
  yield unknown.length > 0
    ? {
        assumption: 'A4',
        status: 'warning',
        detail: `The client does not know these status values and takes them for running: ${list(unknown)}.`,
        advice: 'Report them to the maintainers of polygate.',
      }
    : {
        assumption: 'A4',
        status: 'ok',
        detail:
          named.length > 0
            ? `Status values: ${list(named)}.`
            : 'The records have no status, only a result.',
      };
  const locations = findValues(record, new Set(result.urls));
  yield { assumption: 'A5', status: 'ok', detail: `The URL is in ${list(locations)}.` };
  const wrapper = isFinished ? undefined : await findWrapper(context, task, result);
  yield {
    assumption: 'A6',
    status: 'ok',
    detail: wrapper
      ? `Task records are wrapped in "${wrapper}", which the client unwraps.`
      : 'Task records are not wrapped.',
  };
}

/** The field that wraps the record of a task. The client has removed it, so the record is fetched as sent. */
async function findWrapper(
  context: DiagnosisContext,
  task: SubmittedTask<'image'>,
  { raw }: SucceededGeneration<'image'>,
): Promise<string | undefined> {
  const response = await context.client.images
    .retrieve(task.id, { signal: context.signal })
    .asResponse();
  const body: unknown = await response.json();
  if (!isRecord(body)) return undefined;
  const record: unknown = raw;
  const isSame = (value: unknown) =>
    isRecord(value) && isRecord(record) && 'status' in value === 'status' in record;
  return body['status'] === undefined
    ? ['data', 'task'].find((name) => isSame(body[name]))
    : undefined;
}

/** Paths of the fields that hold one of the values, such as `result.images[].url`. */
function findValues(value: unknown, wanted: ReadonlySet<unknown>, path = ''): string[] {
  if (wanted.has(value)) return [path];
  if (Array.isArray(value)) {
    return [...new Set(value.flatMap((item) => findValues(item, wanted, `${path}[]`)))];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    findValues(field, wanted, path === '' ? name : `${path}.${name}`),
  );
}
