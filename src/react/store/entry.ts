import type { Generation, Receipt } from 'polygate';

import { unchecked } from '../../types/schema.ts';
import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';

/**
 * What the storage knows about the generation of a slot. It is written before the request, when the task is accepted,
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
  readonly status?: 'queued' | 'running' | undefined;
  readonly progress?: number | undefined;
  /** Set once the task has ended. */
  readonly generation?: Generation | undefined;
  /** Whether `onError` was called for this generation. */
  readonly reported?: boolean | undefined;
}

/** Parses what the storage has. Undefined if it is no entry. Parts that were damaged are left out. */
export function parseEntry(
  text: string | null,
  isValid: (receipt: Receipt) => boolean,
): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value.v !== 1) return undefined;
  const { key, fingerprint, params, status, progress, reported } = value;
  if (!isNonEmptyString(key) || !isNonEmptyString(fingerprint)) return undefined;
  const receipt = unchecked<Receipt>(value.receipt);
  const entry: Entry = { v: 1, key, fingerprint, reported: reported === true };
  // Without a receipt, the task can still be reached with its key.
  if (!isRecord(value.receipt) || !isValid(receipt)) return { ...entry, params };
  return {
    ...entry,
    receipt,
    status: status === 'running' ? status : 'queued',
    progress: typeof progress === 'number' ? progress : undefined,
    generation: parseGeneration(value.generation),
  };
}

function parseGeneration(value: unknown): Generation | undefined {
  if (!isRecord(value)) return undefined;
  const { id, status, urls, error, createdAt } = value;
  const isValid =
    isNonEmptyString(id) &&
    Array.isArray(urls) &&
    urls.every(isNonEmptyString) &&
    (status === 'succeeded'
      ? urls.length > 0
      : status === 'failed' && isRecord(error) && typeof error.message === 'string');
  if (!isValid) return undefined;
  const date = isNonEmptyString(createdAt) ? { createdAt: new Date(createdAt) } : {};
  return unchecked<Generation>({ ...value, ...date });
}
