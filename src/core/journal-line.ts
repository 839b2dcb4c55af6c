import { ConfigurationError } from '../errors/configuration.ts';
import { isRecord } from '../schemas/record.ts';
import { unchecked } from '../schemas/schema.ts';
import type { Receipt, TaskKind } from '../schemas/task.ts';
import { readReceipt } from './receipt.ts';

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
export function readLine(text: string, number: number): JournalLine | ConfigurationError {
  const line = parse(text);
  const problem = problemOf(line);
  return problem === undefined
    ? unchecked<JournalLine>(line)
    : new ConfigurationError(`journal: line ${number} ${problem}; it was left as it is.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the line, which may hold a prompt.
    return undefined;
  }
}

function problemOf(line: unknown): string | undefined {
  if (!isRecord(line)) return 'is damaged: no JSON object';
  const { v, type, run, id, key, path, hash, receipt } = line;
  if (v !== 1) return 'is of another version';
  if (!types.includes(String(type))) return 'is of an unknown type';
  const needed = type === 'run' ? { run } : type === 'submit' ? { id, key, path, hash } : { id };
  for (const [name, value] of Object.entries(needed)) {
    if (typeof value !== 'string' || value === '') return `is damaged: ${name} is missing`;
  }
  if (type === 'submit' && kindOf(path) === undefined) return 'is damaged: path is wrong';
  try {
    if (type === 'accepted') readReceipt(receipt);
  } catch {
    return 'is damaged: receipt is wrong';
  }
  return undefined;
}

const types = ['run', 'submit', 'accepted', 'refused', 'finished'];
const kinds = ['image', 'video', 'audio'] as const;

/** What is made by a submit to this path. */
export function kindOf(path: unknown): TaskKind | undefined {
  return kinds.find((kind) => new RegExp(`^/v1/${kind}[a-z/]*$`).test(String(path)));
}
