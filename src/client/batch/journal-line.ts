import { ConfigurationError } from '../../errors/base.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import { findEndpoint } from '../../wire/endpoints/index.ts';
import { chatCompletionSchema } from '../../wire/types/chat/completion.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { Receipt, TaskKind } from '../../wire/types/tasks/task.ts';
import { isRecord, isNonEmptyString } from '../../wire/types/type-guards.ts';
import { fallbackRules } from '../call/request-options.ts';
import { checkValue, oneOf } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { toHex } from '../http/request-headers.ts';
import { parseReceipt } from '../tasks/task.ts';

/**
 * One line of a journal, which stores it as JSON after the version, `v: 1`. A line is appended for each step of a row
 * (see row.ts); the `run` line comes first. The format is stable: journals of earlier versions must stay
 * readable. docs/batches.md documents it.
 */
export type JournalLine =
  | { readonly type: 'run'; readonly run: string }
  /** The damaged lines before this one were torn when a process died, and were never acted on. */
  | { readonly type: 'torn' }
  | ({
      readonly type: 'submit';
      readonly id: string;
      /** What it pays for, if its price is known. */
      readonly units?: PricedUnits | undefined;
      /** Whether its request was lost: the line only repeats another one, with what the request may have cost. */
      readonly lost?: boolean | undefined;
    } & Intent &
      CostFields)
  | ({ readonly type: 'accepted'; readonly id: string; readonly receipt: Receipt } & CostFields)
  | ({
      readonly type: 'completed';
      readonly id: string;
      readonly completion: ChatCompletion;
    } & CostFields)
  | ({
      readonly type: 'refused';
      readonly id: string;
      /** Whether a 402 or a budget is the only reason. */
      readonly paused?: boolean | undefined;
      /** Whether it takes all submissions of its key back: the service says that none was charged. */
      readonly void?: boolean | undefined;
    } & CostFields)
  | { readonly type: 'finished'; readonly id: string; readonly status: 'succeeded' | 'failed' };

/** A line about a row. */
export type RowLine = Extract<JournalLine, { readonly id: string }>;

/** The submission that a row is about to send. */
export interface Intent {
  /** Idempotency key. A chat has one only if its request carries it. */
  readonly key?: string | undefined;
  /** Path of the endpoint, such as `/v1/videos`. It identifies the kind of the row. */
  readonly path: string;
  /** Fingerprint of path, params and fallback. */
  readonly hash: string;
  /** Params, only with `storeParams`. */
  readonly params?: { readonly model: string } | undefined;
  /** The other models that may be used, if there are any, only with `storeParams`. */
  readonly fallback?: readonly string[] | undefined;
}

/** What the row has cost in all runs, as of a line. Lines of version 0.2 have no such fields. */
export interface CostFields {
  /** The sum of its charges in USD; absent if it is 0, unless the charge of a task or completion is known to be 0. */
  readonly usd?: number | undefined;
  /** The sum of the estimates in USD for submissions whose charge is not known; absent if it is 0. */
  readonly estimatedUsd?: number | undefined;
  /** The largest charge that one of its responses has reported in USD, if `usd` is another sum. */
  readonly largestUsd?: number | undefined;
}

/**
 * Parses one line.
 *
 * @throws {@link ConfigurationError} that names the damaged field, or any other error when the line is not JSON.
 */
export function parseLine(json: string): JournalLine {
  const line: unknown = JSON.parse(json);
  const { v, type, receipt, completion, ...fields } = isRecord(line) ? line : {};
  checkValue('v', v ?? null, version);
  checkValue('type', type ?? null, lineType);
  for (const [name, rule] of Object.entries(rulesOf(type, fields.path))) {
    checkValue(name, fields[name] ?? null, rule);
  }
  if (type === 'submit') checkValue('fallback', fields.fallback, fallbackRules.fallback);
  if (type === 'accepted') parseReceipt(receipt);
  if (type === 'completed') checkValue('completion', completion ?? null, completionRule);
  return unchecked<JournalLine>(line);
}

const version: Rule = [(value) => value === 1, '1, the only supported version'];
const lineType = oneOf('run', 'submit', 'accepted', 'completed', 'refused', 'finished', 'torn');
const text: Rule = [isNonEmptyString, 'a non-empty string'];
const submitPath: Rule = [(path) => kindOf(path) !== undefined, 'a submit path'];
const completionRule: Rule = [
  (value) => chatCompletionSchema.validate(value, []) === undefined,
  'a chat completion',
];

function rulesOf(type: unknown, path: unknown): Readonly<Record<string, Rule>> {
  if (type === 'torn') return {};
  if (type === 'run') return { run: text };
  if (type !== 'submit') return { id: text };
  const key = isChatPath(path) ? {} : { key: text };
  return { id: text, ...key, hash: text, path: submitPath };
}

/** The path of chats, which the service may charge each time they are sent. */
export const chatPath = chatEndpoints.chat.create.path;

/** Whether a row with this path is a chat. */
export const isChatPath = (path: unknown): boolean => path === chatPath;

/** The kind of task that a submission to this path creates; undefined when it is not the path of a submit endpoint. */
export function taskKindOf(path: unknown): TaskKind | undefined {
  return findEndpoint('POST', String(path))?.kind;
}

const kindOf = (path: unknown): TaskKind | 'chat' | undefined =>
  isChatPath(path) ? 'chat' : taskKindOf(path);

/**
 * The SHA-256 hash of the given texts, in hexadecimal digits.
 *
 * @throws {@link ConfigurationError} on pages served over plain http and in some mobile apps, which have no
 * `crypto.subtle`.
 */
export async function fingerprint(...texts: string[]): Promise<string> {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const subtle = crypto?.subtle;
  if (subtle === undefined) {
    throw new ConfigurationError(
      'crypto.subtle: is missing. Browsers have it only on https and localhost.',
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** The fingerprint of a request to one or more models, by which a later process recognizes it. */
export function requestHash(
  path: string,
  body: string,
  fallback: readonly string[] = [],
): Promise<string> {
  // Without a fallback, as in journals of earlier versions.
  return fallback.length > 0
    ? fingerprint(path, body, JSON.stringify(fallback))
    : fingerprint(path, body);
}

/**
 * The idempotency key of a row: the same in every process that works on it. Other params are another request, so where
 * a row may be submitted with others, `identity` ends with their fingerprint.
 */
export async function rowKey(...identity: string[]): Promise<string> {
  return `pg-${await fingerprint(...identity)}`;
}
