import { ConfigurationError } from '../../errors/configuration.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { isRecord, isNonEmptyString } from '../../schemas/type-guards.ts';
import { checkValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseReceipt } from '../tasks/receipt.ts';

/**
 * One line of a journal, as JSON. A line is appended for each step of a row (see batch-item.ts); the `run` line comes
 * first. The format is stable: journals of earlier versions must stay readable.
 */
export type JournalLine = { readonly v: 1 } & (
  | { readonly type: 'run'; readonly run: string }
  | ({ readonly type: 'submit'; readonly id: string } & Intent)
  | { readonly type: 'accepted'; readonly id: string; readonly receipt: Receipt }
  | { readonly type: 'refused'; readonly id: string }
  | { readonly type: 'finished'; readonly id: string; readonly status: 'succeeded' | 'failed' }
);

/** The submission that a row is about to send. */
export interface Intent {
  /** Idempotency key. */
  readonly key: string;
  /** Path of the endpoint, such as `/v1/videos`. It also identifies the kind of the task. */
  readonly path: string;
  /** Fingerprint of path and params. */
  readonly hash: string;
  /** Params, only with `storeParams`. */
  readonly params?: { readonly model: string } | undefined;
}

/** Parses one line. A damaged line is returned as the error that reports it, because the other lines stay usable. */
export function parseLine(text: string, number: number): JournalLine | ConfigurationError {
  try {
    const line: unknown = JSON.parse(text);
    const { v, type, path, receipt, ...strings } = isRecord(line) ? line : {};
    checkValue('v', v ?? 0, [(version) => version === 1, '1, the only known version']);
    const names = requiredStrings.get(type);
    checkValue('type', names ?? '', [Array.isArray, 'a known line type']);
    for (const name of names ?? []) checkValue(name, strings[name] ?? '', nonEmptyString);
    if (type === 'submit')
      checkValue('path', taskKindOf(path) ?? '', [Boolean, 'the path of a submit endpoint']);
    if (type === 'accepted') parseReceipt(receipt);
    return unchecked<JournalLine>(line);
  } catch (error) {
    // The message of JSON.parse quotes the line, which may contain a prompt.
    const reason = error instanceof ConfigurationError ? error.message : 'It is not JSON.';
    return new ConfigurationError(`journal: line ${number} is damaged and was ignored. ${reason}`);
  }
}

const nonEmptyString: Rule = [isNonEmptyString, 'a non-empty string'];

/** The strings that a line of each type must have. */
const requiredStrings = new Map<unknown, readonly string[]>([
  ['run', ['run']],
  ['submit', ['id', 'key', 'hash']],
  ['accepted', ['id']],
  ['refused', ['id']],
  ['finished', ['id']],
]);

/** The kind of task that a submission to this path creates; undefined when it is not the path of a submit endpoint. */
export function taskKindOf(path: unknown): TaskKind | undefined {
  const [, kind] = /^\/v1\/(image|video|audio)[a-z/]*$/.exec(String(path)) ?? [];
  return unchecked<TaskKind | undefined>(kind);
}
