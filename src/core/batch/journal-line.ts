import { ConfigurationError } from '../../errors/configuration.ts';
import { isRecord, isNonEmptyString } from '../../schemas/record.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { parseReceipt } from '../tasks/receipt.ts';
import { checkValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';

/** One line of a journal, as JSON. */
export type JournalLine = { readonly v: 1 } & (
  | { readonly type: 'run'; readonly run: string }
  | ({ readonly type: 'submit'; readonly id: string } & Intent)
  | { readonly type: 'accepted'; readonly id: string; readonly receipt: Receipt }
  | { readonly type: 'refused'; readonly id: string }
  | { readonly type: 'finished'; readonly id: string; readonly status: 'succeeded' | 'failed' }
);

/** What a row is about to submit, written before it is sent. */
export interface Intent {
  /** Its idempotency key. */
  readonly key: string;
  /** Where it goes: `/v1/videos`. Its kind stands there. */
  readonly path: string;
  /** Fingerprint of path and params. */
  readonly hash: string;
  /** The params, where they may be stored. */
  readonly params?: { readonly model: string } | undefined;
}

/** A line of a journal; or, of a damaged one, the error that says which line it is. */
export function parseLine(text: string, number: number): JournalLine | ConfigurationError {
  try {
    const line: unknown = JSON.parse(text);
    const { v, type, path, receipt, ...texts } = isRecord(line) ? line : {};
    checkValue('v', v ?? 0, [(version) => version === 1, '1, the only version that is known']);
    const needed = needs.get(type);
    checkValue('type', needed ?? '', [Array.isArray, 'a known one']);
    for (const name of needed ?? []) checkValue(name, texts[name] ?? '', filled);
    if (type === 'submit') checkValue('path', kindOf(path) ?? '', [Boolean, 'that of a submit']);
    if (type === 'accepted') parseReceipt(receipt);
    return unchecked<JournalLine>(line);
  } catch (error) {
    // The parser's own message quotes the line, which may hold a prompt.
    const why = error instanceof ConfigurationError ? error.message : 'It is no JSON.';
    return new ConfigurationError(
      `journal: line ${number} cannot be read and was left as it is. ${why}`,
    );
  }
}

const filled: Rule = [isNonEmptyString, 'a text'];

/** The texts that a line of each type must have. */
const needs = new Map<unknown, readonly string[]>([
  ['run', ['run']],
  ['submit', ['id', 'key', 'hash']],
  ['accepted', ['id']],
  ['refused', ['id']],
  ['finished', ['id']],
]);

/** What is made by a submit to this path. */
export function kindOf(path: unknown): TaskKind | undefined {
  const [, kind] = /^\/v1\/(image|video|audio)[a-z/]*$/.exec(String(path)) ?? [];
  return unchecked<TaskKind | undefined>(kind);
}
