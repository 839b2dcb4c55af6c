import type { Clock } from '../../config/clock.ts';
import { runWithTimeLimit } from '../../limits/time-limit.ts';

/** How long work on the journal may take once the run has been cut short, in ms. */
const maxLateTime = 1_000;

/** What ends the wait for work on the journal. */
interface Wait {
  readonly signal: AbortSignal | undefined;
  /** Whether the run has been cut short already: the work then has a second, so that most of it ends. */
  readonly isCutShort?: boolean;
  readonly clock: Clock;
  /** Creates the error if the work has not ended. */
  readonly error: () => Error;
}

/** Waits for work on the journal, which can hang, until the caller aborts. The work itself continues. */
export function untilAborted(
  work: () => Promise<void>,
  { signal, isCutShort = signal?.aborted === true, clock, error }: Wait,
): Promise<void> {
  const errors = { aborted: error, timeout: error };
  return runWithTimeLimit(
    work,
    isCutShort ? { clock, ms: maxLateTime, errors } : { signal, errors },
  );
}
