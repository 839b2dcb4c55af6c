import type { Attempt } from './lab.ts';

/** One API call of the page, with all its attempts. */
export interface Call {
  id: string;
  /** Start of the first attempt in Unix milliseconds. */
  at: number;
  method: string;
  path: string;
  key?: string | undefined;
  attempts: readonly Attempt[];
  /** The polls of the task or material that the call created. */
  polls: readonly Attempt[];
}

/**
 * Groups attempts with the same key, or the same request id, into calls. The latest call comes first. Reads that are not
 * polls, such as that of the balance, are calls only if they fail.
 */
export function groupAttempts(attempts: readonly Attempt[]): Call[] {
  const calls = new Map<string, Call>();
  const creators = new Map<string, string>();
  for (const attempt of attempts) {
    const { method, path, key, requestId, resourceId, number } = attempt;
    const creator = calls.get(creators.get(resourceId ?? '') ?? '');
    if (isPoll(attempt) && creator !== undefined) {
      calls.set(creator.id, { ...creator, polls: [...creator.polls, attempt] });
      continue;
    }
    if (method === 'GET' && !isFailure(attempt)) continue;
    // Without a call that created it, the polls of one task are one call.
    const id = method === 'GET' ? `GET ${path}` : (key ?? requestId ?? String(number));
    const call = calls.get(id) ?? createCall(id, attempt);
    calls.set(id, { ...call, attempts: [...call.attempts, attempt] });
    if (method === 'POST' && resourceId !== undefined) creators.set(resourceId, id);
  }
  return [...calls.values()].toReversed();
}

function createCall(id: string, { at, method, path, key }: Attempt): Call {
  return { id, at, method, path, key, attempts: [], polls: [] };
}

/** Whether an attempt reads a task or a material. */
function isPoll({ method, resourceId }: Attempt): boolean {
  return method === 'GET' && resourceId !== undefined;
}

/** Whether an attempt failed. An attempt that the page aborted did not. */
export function isFailure({ state, status = 0 }: Attempt): boolean {
  return state === 'lost' || state === 'truncated' || status >= 400;
}

/** Whether an attempt has not ended yet. */
export function isOpen({ state }: Attempt): boolean {
  return state === 'pending' || state === 'streaming';
}

/** What a call was charged in USD; undefined if it was not charged. */
export function chargeOf({ attempts }: Call): number | undefined {
  const charges = attempts.flatMap(({ chargedUsd }) => chargedUsd ?? []);
  return charges.length === 0 ? undefined : charges.reduce((sum, usd) => sum + usd, 0);
}

/** The attempt whose response was lost or cut, and the later one that got the result without another charge. */
export function recoveryOf({ attempts }: Call): { from: Attempt; by: Attempt } | undefined {
  const by = attempts.find(({ replay, state }) => replay && state === 'completed');
  const from = attempts.find(
    (attempt) => attempt !== by && (attempt.state === 'lost' || attempt.state === 'aborted'),
  );
  return by === undefined || from === undefined || from.number > by.number
    ? undefined
    : { from, by };
}
