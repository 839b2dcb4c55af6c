import type { Generation, Receipt } from 'polygate';

import type { Life } from '../../../paid/life.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isNonEmptyString } from '../../../wire/types/type-guards.ts';
import { refusal } from './errors.ts';

/**
 * What the storage knows about a generation. It is written before the request, when the task is accepted,
 * after each change of its progress, and when it has ended.
 */
export interface Entry {
  readonly v: 1;
  /** The idempotency key. A request that is sent again with it is not charged twice. */
  readonly key: string;
  /** Hash of the params. */
  readonly fingerprint: string;
  /** The params, until the task is accepted. */
  readonly params?: unknown;
  /** Set once the task is accepted. */
  readonly receipt?: Receipt | undefined;
  readonly status?: string | undefined;
  readonly progress?: number | undefined;
  /** Set once the task has ended. */
  readonly generation?: Generation | undefined;
  /** Whether `onError` was called for this generation. */
  readonly reported?: boolean | undefined;
}

/** An entry that cannot be read. It may be that of a request that was paid for, whose key and params are not known. */
export const damagedEntry: Entry = { v: 1, key: 'damaged', fingerprint: 'damaged' };

/** What an entry says about its request. */
export const lifeOf = (entry: Entry | undefined): Life =>
  entry ? { ...entry, open: 1, end: entry.generation } : {};

/**
 * Parses what the storage has. Undefined if it is no entry. Parts that were damaged are left out: without a receipt,
 * the task can still be reached with its key. `open` throws if a receipt is invalid.
 */
export function parseEntry(text: string, open: (receipt: Receipt) => unknown): Entry | undefined {
  try {
    const entry = unchecked<Entry>(JSON.parse(text));
    const { v, key, fingerprint, receipt, generation } = entry;
    if (!(v > 0) || !isNonEmptyString(key) || !isNonEmptyString(fingerprint)) return undefined;
    // Of a newer version. It may have been charged, and the params are not known.
    if (v > 1) return { v: 1, key, fingerprint: key };
    try {
      if (receipt) open(receipt);
    } catch {
      return { ...entry, receipt: undefined, generation: undefined };
    }
    return { ...entry, generation: receipt && reviveGeneration(generation) };
  } catch {
    return undefined;
  }
}

function reviveGeneration(generation: Generation | undefined): Generation | undefined {
  const { status, urls, error, createdAt } = generation ?? {};
  const isEnd = status === 'succeeded' ? urls?.[0] : status === 'failed' && error?.message;
  if (!generation || !isEnd || !Array.isArray(urls) || !urls.every(isNonEmptyString)) {
    return undefined;
  }
  return createdAt ? { ...generation, createdAt: new Date(createdAt) } : generation;
}

/** A random idempotency key. Pages served over plain http have no `randomUUID`, and some mobile apps no `crypto`. */
export function randomKey(): string {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  return crypto?.randomUUID?.() ?? `${Math.random()}-${Math.random()}-${Math.random()}`;
}

/**
 * A short hash of the JSON of params, to recognize params that are the same. It is computed without `crypto.subtle`,
 * which is asynchronous, and missing on pages served over plain http and in mobile apps.
 */
export function fingerprintOf(params: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(params);
  } catch {
    // Refused below, like other values that are not JSON.
  }
  if (text === undefined) throw refusal('invalid_params');
  let hash = 0;
  // A polynomial modulo a prime, whose products are exact.
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 140_737_488_355_213;
  return `${text.length}-${hash}`;
}
