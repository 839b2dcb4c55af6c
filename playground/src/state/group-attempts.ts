import type { Attempt } from '../../shared/lab.ts';

/** One thing that this page wanted, and every attempt that it took. */
export interface Call {
  id: string;
  /** Unix milliseconds of the first attempt. */
  at: number;
  route: string;
  key?: string | undefined;
  attempts: readonly Attempt[];
  /** Questions about the task afterwards, and how many of them found no answer. */
  polls: number;
  lostPolls: number;
  /** What the gateway took for it, USD; undefined when it told of no price. */
  usd?: number | undefined;
}

/** Attempts with the same key belong together, and so do those that ask about what came of it. */
export function groupAttempts(attempts: readonly Attempt[]): Call[] {
  const found = new Map<string, Call>();
  const byThing = new Map<string, string>();
  for (const attempt of attempts) {
    const { method, key, call, thing, number } = attempt;
    if (method === 'POST') {
      const id = key ?? call ?? String(number);
      if (thing !== undefined) byThing.set(thing, id);
      found.set(id, withAttempt(found.get(id) ?? begun(id, attempt), attempt));
      continue;
    }
    const owner = found.get(byThing.get(thing ?? '') ?? '');
    if (owner === undefined) continue;
    owner.polls += 1;
    if (isTrouble(attempt)) owner.lostPolls += 1;
  }
  return [...found.values()].toReversed();
}

function begun(id: string, { at, path, key }: Attempt): Call {
  return { id, at, route: path.replace(/^\/v1\//, ''), key, attempts: [], polls: 0, lostPolls: 0 };
}

function withAttempt(call: Call, attempt: Attempt): Call {
  const usd = call.usd ?? attempt.chargeUsd;
  return { ...call, attempts: [...call.attempts, attempt], usd };
}

/** Whether an attempt did not bring what was asked for. */
export function isTrouble({ state, status = 0 }: Attempt): boolean {
  return state === 'lost' || state === 'cut' || status >= 400;
}
