import type { SucceededGeneration } from 'polygate';

import { taskStatusOf } from '../../../wire/types/tasks/task.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { list } from '../text.ts';
import { foundPoll } from './poll-path.ts';
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
  { isFinished, calls }: PaidTask,
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
  if (isFinished) {
    report
      .on('A6')
      .skipped('The response to the submit is already the result, so no record was polled.');
  } else {
    await reportWrapper(context, report.on('A6'), foundPoll(calls)?.path, result);
  }
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

/** The field that wraps the record of a task. The client has removed it, so the record is fetched as it was sent. */
async function reportWrapper(
  { client, signal }: DiagnosisContext,
  report: Report,
  path: string | undefined,
  { raw }: SucceededGeneration<'image'>,
): Promise<void> {
  let body: unknown;
  try {
    if (path !== undefined) body = await client.request({ method: 'GET', path }, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    // The image was generated: nothing else depends on this request.
    return report.skipped(`The record could not be read as it was sent: ${messageOf(error)}`);
  }
  if (!isRecord(body)) return report.skipped('The record could not be read as it was sent.');
  const wrapper = findWrapper(body, raw);
  report.ok(
    wrapper
      ? `Task records are wrapped in "${wrapper}", which the client unwraps.`
      : 'Task records are not wrapped.',
  );
}

function findWrapper(body: Record<string, unknown>, record: unknown): string | undefined {
  if (body['status'] !== undefined) return undefined;
  const isSame = (value: unknown) =>
    isRecord(value) && isRecord(record) && 'status' in value === 'status' in record;
  return ['data', 'task'].find((name) => isSame(body[name]));
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
