const ignore = (): undefined => undefined;

/** How to get a lock. */
export interface LockRequest {
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  /** Takes the lock from the tab that has it. */
  readonly steal?: boolean | undefined;
}

/** The locks that the tabs of a browser share; undefined where there are none. */
const sharedLocks = (): LockManager | undefined => globalThis.navigator?.locks;

/** Whether another tab, or another part of this one, has a lock. */
export async function isLocked(name: string | undefined): Promise<boolean> {
  const state = await sharedLocks()?.query().catch(ignore);
  return Boolean(state?.held?.some((lock) => lock.name === name));
}

/**
 * Runs `work` while no other tab runs work under this name. Resolves to undefined if the signal aborts before it has
 * the lock, and when another tab steals it; `lost` is called then. `work` must not reject.
 */
export async function withLock<Result>(
  name: string | undefined,
  { signal, steal }: LockRequest,
  work: () => Promise<Result>,
  lost: () => void = ignore,
): Promise<Result | undefined> {
  const locks = sharedLocks();
  if (name === undefined || locks === undefined) return work();
  let running: Promise<Result> | undefined;
  try {
    // A lock cannot be stolen with a signal.
    return await locks.request(name, steal ? { steal } : { signal }, () => (running = work()));
  } catch {
    if (running) lost();
    if (running || signal.aborted) return undefined;
    // Some pages may not use locks.
    return work();
  }
}
