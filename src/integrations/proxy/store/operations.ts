/** How long a request waits for the store, in ms. */
const maxWait = 5_000;

/** How long an operation that must not be lost is repeated, in ms. */
const maxPersistence = 600_000;

/** The longest pause between two repetitions, in ms. */
const maxPause = 15_000;

/** Runs an operation of a store. Rejects if it takes too long, or throws. */
export async function withinTime<Result>(operation: () => Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`The store of the proxy has not responded within ${maxWait} ms`);
    timer = setTimeout(() => reject(error), maxWait);
  });
  try {
    return await Promise.race([operation(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until work has ended, but no longer than `ms`. The work continues, and must not reject. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

/**
 * Repeats an operation until it succeeds, for up to ten minutes. It must be one that can be repeated. Never rejects: the
 * first error is reported, and so is the last one if the operation is given up.
 */
export async function persist(
  operation: () => Promise<void>,
  report: (error: unknown) => void,
): Promise<void> {
  const start = performance.now();
  for (let pause = 250; ; pause = Math.min(maxPause, 2 * pause)) {
    try {
      await withinTime(operation);
      return;
    } catch (error) {
      const isLast = performance.now() - start > maxPersistence;
      if (pause === 250 || isLast) report(error);
      if (isLast) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
