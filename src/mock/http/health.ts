/** How many of the latest answers the state of the service is judged by. */
const remembered = 100;

/** The share of good answers under which the service is in trouble, percent. */
const enough = 95;

/** How well the latest requests were answered. */
export class Health {
  readonly #latest: boolean[] = [];

  /** Notes an answer; a status from 500 on is a failure. */
  record(status: number): void {
    this.#latest.push(status < 500);
    if (this.#latest.length > remembered) this.#latest.shift();
  }

  /** Percent, with two decimals. */
  get successRate(): number {
    if (this.#latest.length === 0) return 100;
    const good = this.#latest.filter(Boolean).length;
    return Math.round((good / this.#latest.length) * 10_000) / 100;
  }

  get degraded(): boolean {
    return this.successRate < enough;
  }
}
