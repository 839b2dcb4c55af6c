/** How to get a lock. */
export interface LockRequest {
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  /** Takes the lock from the tab that has it. */
  readonly steal?: boolean | undefined;
}

/** The locks that the tabs of a browser share; undefined where there are none. */
const sharedLocks = (): LockManager | undefined => globalThis.navigator?.locks;

/** The locks that this tab and others have; empty where they cannot be read. */
export async function heldLocks(): Promise<LockInfo[]> {
  const locks = sharedLocks();
  const state = await locks?.query().catch(() => undefined);
  return state?.held ?? [];
}

/**
 * Runs `work` while no other tab runs work under this name. Does nothing if the signal aborts before it has the lock.
 * Calls `lost` when another tab steals it. `work` must not reject.
 */
export async function withLock(
  name: string | undefined,
  { signal, steal }: LockRequest,
  work: () => Promise<void>,
  lost?: () => void,
): Promise<void> {
  const locks = sharedLocks();
  let running: Promise<void> | undefined;
  const run = () => (running = work());
  try {
    // A lock cannot be stolen with a signal.
    await (name && locks ? locks.request(name, steal ? { steal } : { signal }, run) : run());
  } catch {
    if (running) lost?.();
    // Some pages may not use locks.
    else if (!signal.aborted) await run();
  }
}
