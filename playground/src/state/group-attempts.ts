import type { Attempt } from '../../shared/lab.ts';

/** One API call of the page, with all its attempts. */
export interface Call {
  id: string;
  /** Start of the first attempt in Unix milliseconds. */
  at: number;
  route: string;
  key?: string | undefined;
  attempts: readonly Attempt[];
  /** Number of polls of the task or material that the call created. */
  polls: number;
  failedPolls: number;
  /** The charge in USD, if the gateway reported one. */
  usd?: number | undefined;
}

/** Groups attempts with the same key, or the same request id, into calls. The latest call comes first. */
export function groupAttempts(attempts: readonly Attempt[]): Call[] {
  const calls = new Map<string, Call>();
  const callIds = new Map<string, string>();
  for (const attempt of attempts) {
    const { method, key, requestId, resourceId, number } = attempt;
    if (method === 'POST') {
      const id = key ?? requestId ?? String(number);
      if (resourceId !== undefined) callIds.set(resourceId, id);
      calls.set(id, withAttempt(calls.get(id) ?? createCall(id, attempt), attempt));
      continue;
    }
    const call = calls.get(callIds.get(resourceId ?? '') ?? '');
    if (call === undefined) continue;
    call.polls += 1;
    if (isFailure(attempt)) call.failedPolls += 1;
  }
  return [...calls.values()].toReversed();
}

function createCall(id: string, { at, path, key }: Attempt): Call {
  const route = path.replace(/^\/v1\//, '');
  return { id, at, route, key, attempts: [], polls: 0, failedPolls: 0 };
}

function withAttempt(call: Call, attempt: Attempt): Call {
  const usd = call.usd ?? attempt.chargeUsd;
  return { ...call, attempts: [...call.attempts, attempt], usd };
}

/** Whether an attempt failed. An attempt that the page aborted did not. */
export function isFailure({ state, status = 0 }: Attempt): boolean {
  return state === 'lost' || state === 'truncated' || status >= 400;
}
