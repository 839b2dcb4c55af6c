/** The delay before the first poll of a task in ms that the specification recommends. */
export const taskPollInterval = 2_000;

/**
 * The longest delay between two polls in ms, unless `maxPollInterval` is set, `pollInterval` is longer or the service
 * requests another delay.
 */
export const defaultMaxPollInterval = 5_000;

/** How long a wait for a task lasts at most in ms, unless the caller sets `waitTimeout`. */
export const defaultWaitTimeout = 30 * 60_000;

/** Shortest delay between two polls in ms, even if the service requests a shorter one. */
const minPollDelay = 100;

/** What the delay before a poll depends on. All times are in ms. */
interface PollDelayOptions {
  /** The delay without jitter. */
  readonly interval: number;
  readonly maxInterval: number;
  /** The delay that the service has requested. */
  readonly retryAfterMs?: number | undefined;
  readonly random: () => number;
}

/** The delay before the next poll, with up to 20% of jitter, and the longer interval for the poll after that. */
export function nextPollDelay({ interval, maxInterval, retryAfterMs, random }: PollDelayOptions): {
  delayMs: number;
  interval: number;
} {
  const jittered = Math.min(maxInterval, interval * (1 + 0.2 * random()));
  return {
    delayMs: Math.max(minPollDelay, retryAfterMs ?? jittered),
    interval: Math.min(maxInterval, interval * 1.25),
  };
}
