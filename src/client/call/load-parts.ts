import { captureContext } from '../config/caller-context.ts';
import { monotonicNow } from '../config/clock.ts';
import { Part } from '../http/part.ts';
import { limitsOf, loadTime } from './call-limits.ts';
import type { ClientContext } from './context.ts';
import type { PreparedCall } from './running-call.ts';

export const fallbackLoop = /* @__PURE__ */ new Part(() => import('./send-to-models.ts'));

/** Whether a call can be sent now: the parts of the client that it needs are loaded, and its body is complete. */
export function hasParts(
  { transport }: ClientContext,
  { fallback, parts = [], completeBody }: PreparedCall,
): boolean {
  // No array is created for the calls that have all their parts, which are nearly all.
  return (
    !completeBody &&
    isLoaded(transport.part) &&
    (!fallback || isLoaded(fallbackLoop)) &&
    parts.every(isLoaded)
  );
}

function isLoaded(part: Part<unknown> | undefined): boolean {
  return part === undefined || part.loaded !== undefined;
}

/** Loads the parts that a call needs in the time that it has, and runs it in the context of the caller. */
export async function loadParts<Result>(
  { config, transport }: ClientContext,
  prepared: PreparedCall,
  run: (ready: PreparedCall) => Promise<Result>,
): Promise<Result> {
  const { call, options, fallback, parts = [], completeBody } = prepared;
  const { clock } = config;
  const enter = captureContext(config);
  const { signal, idempotencyKey } = options;
  const limits = limitsOf(config, monotonicNow(clock), options, call);
  const details = { outcome: 'not-sent', idempotencyKey, task: call.task } as const;
  const load = { signal, timeout: loadTime(limits), clock, details };
  const needed = [transport.part, fallback && fallbackLoop, ...parts];
  await Promise.all(needed.filter((part) => part !== undefined).map((part) => part.load(load)));
  const ready = completeBody ? { ...call, body: await completeBody() } : call;
  const { deadline } = limits;
  return enter(() => run({ ...prepared, call: ready, options: { ...options, deadline } }));
}
