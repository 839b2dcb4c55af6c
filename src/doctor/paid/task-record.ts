import type { SucceededGeneration, SubmittedTask } from 'polygate';

import { taskStatusOf } from '../../types/tasks/task-status.ts';
import { isRecord } from '../../types/type-guards.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Report } from '../run/report.ts';
import { list } from '../text.ts';
import type { PaidTask } from './submit-image.ts';

/** A task that has succeeded. */
export interface FinishedTask {
  readonly result: SucceededGeneration<'image'>;
  /** The status values that its records have had until then. */
  readonly words: ReadonlySet<string>;
}

/** How the records of a finished task look. Assumptions A3 to A6. */
export async function reportRecord(
  context: DiagnosisContext,
  report: Report,
  { task, isFinished }: PaidTask,
  { result, words }: FinishedTask,
): Promise<void> {
  const record: Record<string, unknown> = { ...result.raw };
  const isDocumented = 'image_url' in record || isRecord(record['result']);
  const fields = list(Object.keys(record));
  report
    .on('A3')
    .ok(
      isDocumented
        ? 'Task records have the shape of audio tasks.'
        : `Task records differ from audio tasks; the client reads both: ${fields}.`,
    );
  const allWords = [...new Set([...words, result.rawStatus])];
  reportWords(allWords.filter(Boolean), report.on('A4'));
  const locations = findValues(record, new Set(result.urls));
  report.on('A5').ok(`The URL is in ${list(locations)}.`);
  const wrapper = isFinished ? undefined : await findWrapper(context, task, result);
  report
    .on('A6')
    .ok(
      wrapper
        ? `Task records are wrapped in "${wrapper}", which the client unwraps.`
        : 'Task records are not wrapped.',
    );
}

function reportWords(words: readonly string[], report: Report): void {
  const unknown = words.filter((word) => taskStatusOf(word) === undefined);
  if (unknown.length > 0) {
    const detail = `The client does not know these status values and takes them for running: ${list(unknown)}.`;
    report.warning(detail, { advice: 'Report them to the maintainers of polygate.' });
  } else if (words.length > 0) {
    report.ok(`Status values: ${list(words.map((word) => `"${word}"`))}.`);
  } else {
    report.ok('The records have no status, only a result.');
  }
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
