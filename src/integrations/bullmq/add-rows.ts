import type { Queue } from 'bullmq';
import type { ChatSubmission, Submission } from 'polygate';

import { ConfigurationError } from '../../errors/base.ts';
import { ConflictError } from '../../errors/responses.ts';
import {
  sentence,
  emptyMeta,
  requestHash,
  rowKey,
  checkValue,
  objectWithMethods,
} from '../../internal.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { submitPriority } from './decisions/step.ts';
import { withinTime } from './redis/connection.ts';
import type { RowStore } from './redis/row-store.ts';
import { describeRow } from './row-driver.ts';
import { jobIdOf } from './row.ts';
import type { RowData } from './row.ts';

/** Rows are added in groups, limited by count and by total length of params. */
const groupRows = 500;
const groupLength = 4_000_000;

/** A row to add: its id and what to submit. */
export interface RowInput {
  /** Any non-empty string. */
  readonly id: string;
  /**
   * What to submit, such as `gateway.images.submission(params)`. A chat is sent at most once, unless you retry its row;
   * its own `idempotencyKey` is not sent. The schema of its output is not stored, so the row has no `parsed`.
   */
  readonly submission: Submission | ChatSubmission<unknown>;
}

/** The queue that rows are added to. */
export interface RowTarget {
  readonly prefix: string;
  readonly jobs: Queue<RowData>;
  readonly rows: RowStore;
}

/**
 * Adds all rows, in groups. The time limit of Redis applies to each group.
 *
 * @throws `ConflictError` at the end, with the ids of rows that exist with other params; `ConfigurationError` at an
 * invalid row, and any error of `inputs`, after the rows before it were added.
 */
export async function addAll<Input>(
  target: RowTarget,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: (input: Input, index: number) => RowInput,
): Promise<void> {
  const conflicts = new Set<string>();
  try {
    for await (const group of groupsOf(target, inputs, describe)) {
      for (const id of await addGroup(target, group)) conflicts.add(id);
    }
  } catch (error) {
    throw error instanceof InvalidRow ? invalidRowError(error, [...conflicts]) : error;
  }
  if (conflicts.size > 0) throw conflictError([...conflicts]);
}

/** The rows in groups. The rows before an error are a group, too. */
async function* groupsOf<Input>(
  target: RowTarget,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: (input: Input, index: number) => RowInput,
): AsyncGenerator<readonly RowData[], void, undefined> {
  let group: RowData[] = [];
  let length = 0;
  let index = 0;
  try {
    for await (const input of inputs) {
      const row = await toRowData(target, index, () => describe(input, index));
      index += 1;
      group.push(row);
      length += JSON.stringify(row.params).length;
      if (group.length >= groupRows || length >= groupLength) {
        yield group;
        group = [];
        length = 0;
      }
    }
  } catch (error) {
    yield group;
    throw error;
  }
  yield group;
}

/** A row that cannot be added. */
class InvalidRow extends Error {
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.index = index;
  }
}

/** Describes a row, as it is stored. */
async function toRowData(
  { prefix, jobs }: RowTarget,
  index: number,
  describe: () => RowInput,
): Promise<RowData> {
  try {
    const { id, submission }: Partial<RowInput> = describe() ?? {};
    checkValue('id', id ?? null, [isNonEmptyString, 'a non-empty string']);
    checkValue('submission', submission ?? null, objectWithMethods('details', 'send'));
    if (!id || !submission) throw new ConfigurationError('id, submission: are required.');
    const { idempotencyKey, ...request } = await describeRow(submission);
    const { path, params, fallback } = request;
    const hash = await requestHash(path, canonicalJson(params), fallback);
    const key = idempotencyKey ?? (await rowKey(prefix, jobs.name, id, hash));
    return { id, ...request, hash, key };
  } catch (error) {
    throw new InvalidRow(index, error);
  }
}

/** A value as JSON with the keys of all objects in order, so that equal params have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Adds rows that are not in Redis yet. Returns the ids of those that are there with other params. */
async function addGroup({ jobs, rows }: RowTarget, group: readonly RowData[]): Promise<string[]> {
  if (group.length === 0) return [];
  const added = group.map((data) => ({
    name: data.kind,
    data,
    opts: {
      jobId: jobIdOf(data.id),
      priority: submitPriority,
      attempts: 1,
      removeOnComplete: false,
      removeOnFail: false,
    },
  }));
  // BullMQ silently ignores a job whose id already exists.
  const stored = await withinTime(
    jobs.addBulk(added).then(() => rows.readData(group.map(({ id }) => jobIdOf(id)))),
  );
  // A missing row was removed in the meantime.
  return group
    .filter(({ hash }, index) => (stored[index]?.hash ?? hash) !== hash)
    .map(({ id }) => id);
}

function conflictError(ids: readonly string[]): ConflictError {
  return new ConflictError(
    `These ids exist with other params: ${listOf(ids)}. Nothing was sent for them; all other rows were added. Use other ids, or remove the rows first.`,
    { meta: emptyMeta(409), code: 'row_conflict', outcome: 'not-sent', ids },
  );
}

function invalidRowError(
  { index, message, cause }: InvalidRow,
  conflicts: readonly string[],
): ConfigurationError {
  const except =
    conflicts.length > 0
      ? ` except these ids, which exist with other params and were not changed: ${listOf(conflicts)}`
      : '';
  const others =
    index > 0 ? ` The rows before it were added${except}; repeat the call with the others.` : '';
  return new ConfigurationError(`rows[${index}]: ${sentence(message)}${others}`, { cause });
}

const listOf = (ids: readonly string[]): string =>
  ids.slice(0, 5).join(', ') + (ids.length > 5 ? `, and ${ids.length - 5} more` : '');
