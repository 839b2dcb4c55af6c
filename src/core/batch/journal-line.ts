import { findEndpoint } from '../../endpoints/index.ts';
import { unchecked } from '../../types/schema.ts';
import type { Receipt, TaskKind } from '../../types/tasks/task.ts';
import { isRecord, isNonEmptyString } from '../../types/type-guards.ts';
import { fallbackRules } from '../call/request-options.ts';
import { checkValue, oneOf } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseReceipt } from '../tasks/receipt.ts';

/**
 * One line of a journal, which stores it as JSON after the version, `v: 1`. A line is appended for each step of a row
 * (see batch-item.ts); the `run` line comes first. The format is stable: journals of earlier versions must stay
 * readable.
 */
export type JournalLine =
  | { readonly type: 'run'; readonly run: string }
  | ({ readonly type: 'submit'; readonly id: string } & Intent)
  | { readonly type: 'accepted'; readonly id: string; readonly receipt: Receipt }
  | {
      readonly type: 'refused';
      readonly id: string;
      /** Whether a 402 is the only reason. */
      readonly paused?: boolean | undefined;
    }
  | { readonly type: 'finished'; readonly id: string; readonly status: 'succeeded' | 'failed' };

/** The submission that a row is about to send. */
export interface Intent {
  /** Idempotency key. */
  readonly key: string;
  /** Path of the endpoint, such as `/v1/videos`. It also identifies the kind of the task. */
  readonly path: string;
  /** Fingerprint of path, params and fallback. */
  readonly hash: string;
  /** Params, only with `storeParams`. */
  readonly params?: { readonly model: string } | undefined;
  /** The other models that may be used, if there are any, only with `storeParams`. */
  readonly fallback?: readonly string[] | undefined;
}

/**
 * Parses one line.
 *
 * @throws {@link ConfigurationError} that names the damaged field, or any other error when the line is not JSON.
 */
export function parseLine(json: string): JournalLine {
  const line: unknown = JSON.parse(json);
  const { v, type, receipt, ...fields } = isRecord(line) ? line : {};
  checkValue('v', v ?? null, version);
  checkValue('type', type ?? null, lineType);
  const rules =
    type === 'run'
      ? { run: text }
      : type === 'submit'
        ? { id: text, key: text, hash: text, path: submitPath }
        : { id: text };
  for (const [name, rule] of Object.entries(rules)) {
    checkValue(name, fields[name] ?? null, rule);
  }
  if (type === 'submit') checkValue('fallback', fields.fallback, fallbackRules.fallback);
  if (type === 'accepted') parseReceipt(receipt);
  return unchecked<JournalLine>(line);
}

const version: Rule = [(value) => value === 1, '1, the only supported version'];
const lineType = oneOf('run', 'submit', 'accepted', 'refused', 'finished');
const text: Rule = [isNonEmptyString, 'a non-empty string'];
const submitPath: Rule = [(path) => taskKindOf(path) !== undefined, 'a submit path'];

/** The kind of task that a submission to this path creates; undefined when it is not the path of a submit endpoint. */
export function taskKindOf(path: unknown): TaskKind | undefined {
  return findEndpoint('POST', String(path))?.kind;
}
