import type { ServerContext } from '@modelcontextprotocol/server';

/** One call of a tool, while a client waits for it. */
export interface Call {
  /** Aborts when the client cancels the call, or the server ends. */
  readonly signal: AbortSignal;
  /** The time that is left for waiting for a task, in ms. */
  readonly remainingMs: () => number;
  /** The time after which the call must return, whatever it is waiting for, in ms. */
  readonly limitMs: () => number;
  /** Reports progress, if the client requested it. */
  readonly report: (message: string, percent?: number) => void;
}

/**
 * The time that a request or a download may take after the wait has ended, in ms. Clients often wait for 60 seconds.
 */
const graceMs = 10_000;

/** Describes a call for the code that does its work. */
export function createCall(
  { mcpReq }: ServerContext,
  { waitMs, ended, clean }: { waitMs: number; ended: AbortSignal; clean: (text: string) => string },
): Call {
  const deadline = performance.now() + waitMs;
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  const signal = AbortSignal.any([mcpReq.signal, ended]);
  let progress = 0;
  return {
    signal,
    remainingMs: () => Math.max(0, deadline - performance.now()),
    limitMs: () => Math.max(0, deadline + graceMs - performance.now()),
    report: (message, percent = 0) => {
      if (progressToken === undefined || signal.aborted) return;
      // The protocol requires that each value is above the one before.
      progress = Math.max(progress + 0.01, Math.min(percent, 99));
      const params = { progressToken, progress, total: 100, message: clean(message) };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

/** The call is returned without the result of its work. */
export const pending = Symbol('pending');

/** Waits for work until the call must return, or is canceled. The work continues either way. */
export async function within<Value>(
  { signal, limitMs }: Pick<Call, 'signal' | 'limitMs'>,
  work: Promise<Value>,
): Promise<Value | typeof pending> {
  let stop = (): void => undefined;
  const end = new Promise<typeof pending>((resolve) => {
    const timer = setTimeout(resolve, limitMs(), pending);
    const onAbort = () => {
      resolve(pending);
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    stop();
  }
}

/** Waits for work that costs nothing, until the call must return or is canceled, which cancels the work. */
export async function withinFree<Value>(
  call: Pick<Call, 'signal' | 'limitMs'>,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | typeof pending> {
  const stop = new AbortController();
  try {
    return await within(call, work(AbortSignal.any([call.signal, stop.signal])));
  } finally {
    stop.abort();
  }
}
