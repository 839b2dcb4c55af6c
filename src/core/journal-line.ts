import { ConfigurationError } from '../errors/configuration.ts';
import { isRecord } from '../schemas/record.ts';
import { unchecked } from '../schemas/schema.ts';
import type { Receipt, TaskKind } from '../schemas/task.ts';
import { oneLine } from './error-body.ts';
import { readReceipt } from './receipt.ts';

/** One line of a journal, as JSON. */
export type JournalLine = { readonly v: 1 } & (
  | { readonly type: 'run'; readonly run: string }
  | ({ readonly type: 'submit' } & Intent)
  | { readonly type: 'accepted'; readonly id: string; readonly receipt: Receipt }
  | { readonly type: 'refused'; readonly id: string }
  | { readonly type: 'finished'; readonly id: string; readonly status: 'succeeded' | 'failed' }
);

/** What a row is about to submit, written before it is sent. */
export interface Intent {
  /** The row. */
  readonly id: string;
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
export function readLine(text: string, number: number): JournalLine | ConfigurationError {
  const damaged = (problem: string) =>
    new ConfigurationError(`journal: line ${number} ${problem}; it was left as it is.`);
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return damaged('is damaged: it is no JSON');
  }
  if (!isRecord(line) || typeof line.type !== 'string') return damaged('is not of a journal');
  if (line.v !== 1) return damaged('is of another version');
  const names = needed.get(line.type);
  if (names === undefined) return damaged(`is of an unknown type: ${oneLine(line.type, 40)}`);
  const missing = names.find((name) => typeof line[name] !== 'string' || line[name] === '');
  if (missing !== undefined) return damaged(`is damaged: ${missing} is missing`);
  if (line.type === 'submit' && kindOf(line.path) === undefined) return damaged('has a wrong path');
  try {
    if (line.type === 'accepted') readReceipt(line.receipt);
  } catch (error) {
    return damaged(`is damaged: ${error instanceof Error ? error.message : ''}`);
  }
  return unchecked<JournalLine>(line);
}

/** What is made by a submit to this path. */
export function kindOf(path: unknown): TaskKind | undefined {
  const [, kind] = /^\/v1\/(image|video|audio)[a-z/]*$/.exec(String(path)) ?? [];
  return kinds.find((known) => known === kind);
}

const kinds = ['image', 'video', 'audio'] as const;

/** The texts that a line of each type must have. */
const needed: ReadonlyMap<string, readonly string[]> = new Map([
  ['run', ['run']],
  ['submit', ['id', 'key', 'path', 'hash']],
  ['accepted', ['id']],
  ['refused', ['id']],
  ['finished', ['id', 'status']],
]);
