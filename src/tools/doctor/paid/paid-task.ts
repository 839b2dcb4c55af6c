import { ConflictError } from 'polygate';
import type { SubmittedTask, SucceededGeneration } from 'polygate';

import { taskStatusOf } from '../../../wire/types/tasks/task.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import { recordCalls } from '../run/context.ts';
import type { RecordedCall, DiagnosisContext } from '../run/context.ts';
import {
  isMissing,
  statusOf,
  messageOf,
  describeFailure,
  isAboutEndpoint,
} from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { chargeOfFailure, chargeOfResult } from '../spending.ts';
import type { PricedModel } from '../spending.ts';
import { randomId, list, shorten } from '../text.ts';
import { pay, payingClient } from './pay.ts';
import type { Paid, Sent, Skipped } from './pay.ts';

/** A task that the diagnosis has paid for. */
export interface PaidTask {
  readonly task: SubmittedTask<'image'>;
  readonly params: {
    readonly model: string;
    readonly prompt: string;
    readonly resolution?: string;
  };
  readonly route: 'generations' | 'tasks';
  readonly priceUsd: number;
  /** Whether the response to the submit was already the result. */
  readonly isFinished: boolean;
  /** The submit and the polls of `task` so far. */
  readonly calls: readonly RecordedCall[];
  /** What the same request with the same key has returned, if it was sent again already. */
  readonly replay?: Resubmit | undefined;
  readonly result?: SucceededGeneration<'image'> | undefined;
}

/** What a submit with the key of a paid task has returned. */
export interface Resubmit {
  readonly task: SubmittedTask<'image'>;
  /** Whether it is the paid task. */
  readonly isSame: boolean;
  /** Whether it was free. */
  readonly isFree: boolean;
}

/** Submits the image of the diagnosis. */
export async function submitImage(
  context: DiagnosisContext,
  { id: model, priceUsd, resolution }: PricedModel,
): Promise<Paid<PaidTask>> {
  const { client, calls } = recordCalls(payingClient(context, 'image'));
  const params = { model, prompt: 'A gray square', ...(resolution && { resolution }) };
  const idempotencyKey = randomId();
  const submit = async (route: PaidTask['route']) => {
    const options = { idempotencyKey, route, signal: context.signal };
    const task = await client.images.submit(params, options);
    const isFinished = task.latest.status === 'succeeded';
    const charge = chargeOfResult(task.meta, { isReplay: false });
    return { result: { task, params, route, priceUsd, isFinished, calls }, charge };
  };
  try {
    // The route whose poll path is not documented; not every service has it.
    return await submit('generations');
  } catch (error) {
    if (!isMissing(statusOf(error)) || chargeOfFailure(error).money !== 'none') throw error;
    return submit('tasks');
  }
}

/** Sends the same submit with the same key again, or one with other params or over another route. */
export function resubmit(
  context: DiagnosisContext,
  report: Report,
  { task, params, route, priceUsd }: PaidTask,
): Promise<Sent<Resubmit> | Skipped> {
  return pay(context, report, {
    model: { id: params.model, priceUsd },
    reusesKey: true,
    async send() {
      const { idempotencyKey } = task;
      const options = { idempotencyKey, route, signal: context.signal };
      const again = await payingClient(context, 'image').images.submit(params, options);
      const isSame = again.id === task.id;
      const isFree = isSame && (again.replayed || !again.chargeUsd);
      const charge = chargeOfResult(again.meta, { isReplay: isFree });
      return { result: { task: again, isSame, isFree }, charge };
    },
  });
}

/**
 * Whether the service has rejected a key that was used before. A 409 of a proxy can also follow a request that was
 * sent.
 */
export const isRejectedKey = (error: unknown): boolean =>
  ConflictError.is(error) && error.outcome === 'rejected';

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

/**
 * Which path the task was found at, and whether its receipt leads there. Assumption A2, unless unknown tasks have shown
 * it.
 */
export async function reportPollPath(
  context: DiagnosisContext,
  report: Report,
  { task, calls }: PaidTask,
): Promise<void> {
  const named = namedPath(foundPoll(calls), task.id);
  if (named === undefined) return reportTemplate(calls, report);
  // As from a receipt, which does not contain the named path.
  const { client, calls: polls } = recordCalls(context.client);
  try {
    await client.images.retrieve(task.id, { signal: context.signal });
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const path = templateOf(named, task.id) ?? named;
    const detail = `The submit names ${shorten(path, 200)} as the path of its task. A receipt does not contain it, and`;
    if (!isAboutEndpoint(error) || (statusOf(error) ?? 500) >= 500) {
      const failure = describeFailure(error);
      const rest = `polling without it failed: ${failure.detail}`;
      return report.add({ ...failure, status: 'skipped', detail: `${detail} ${rest}` });
    }
    const rest = `GET ${polls[0]?.template} does not return the task.`;
    const need = needed.namedPollPath(templateOf(named, task.id));
    return report.failed(`${detail} ${rest}`, need);
  }
  reportTemplate(polls, report);
}

/** The poll that has found the task. */
export const foundPoll = (calls: readonly RecordedCall[]): RecordedCall | undefined =>
  pollsIn(calls).find(({ error }) => error === undefined);

const pollsIn = (calls: readonly RecordedCall[]) => calls.filter(({ method }) => method === 'GET');

/** The path of a poll, if it does not follow from its template: then, the service has named it. */
function namedPath(poll: RecordedCall | undefined, id: string): string | undefined {
  const expected = poll?.template.replaceAll('{id}', encodeURIComponent(id));
  return poll?.path === expected ? undefined : poll?.path;
}

/** The template of a path that contains the id of the task. A query may belong to this task only. */
function templateOf(path: string, id: string): string | undefined {
  const parts = path.split('/');
  const isId = (part: string) => part === id || part === encodeURIComponent(id);
  if (/[?{]/.test(path) || !parts.some(isId)) return undefined;
  return parts.map((part) => (isId(part) ? '{id}' : part)).join('/');
}

function reportTemplate(calls: readonly RecordedCall[], report: Report): void {
  const found = foundPoll(calls)?.template;
  const [first] = pollsIn(calls);
  if (found === undefined || first === undefined) return;
  const need = needed.triedPollPath({ assumed: first.template, found });
  if (need === undefined) return report.ok(`GET ${found} returns the task.`);
  report.warning(`GET ${first.template} does not return the task, but GET ${found} does.`, need);
}
