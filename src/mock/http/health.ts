/** Number of recent responses that the success rate covers. */
const windowSize = 100;

/** The success rate in percent below which the service reports itself as degraded. */
const degradedBelow = 95;

/** Tracks the success rate of recent responses. */
export class Health {
  readonly #latest: boolean[] = [];

  /** Records the status of a response. A status of 500 or above is a failure. */
  record(status: number): void {
    this.#latest.push(status < 500);
    if (this.#latest.length > windowSize) this.#latest.shift();
  }

  /** Percentage of successful responses, rounded to two decimals. */
  get successRate(): number {
    if (this.#latest.length === 0) return 100;
    const successes = this.#latest.filter(Boolean).length;
    return Math.round((successes / this.#latest.length) * 10_000) / 100;
  }

  get degraded(): boolean {
    return this.successRate < degradedBelow;
  }
}
