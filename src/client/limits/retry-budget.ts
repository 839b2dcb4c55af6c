/** Maximum number of retries without a success in between. */
const capacity = 20;

/**
 * Keeps a client from flooding a service that is down. A retry spends a token and a success returns one; with no tokens
 * left, failures are thrown immediately.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Whether a token is left. */
  get isLeft(): boolean {
    return this.#tokens > 0;
  }

  /** Spends a token on a retry. */
  spend(): void {
    this.#tokens -= 1;
  }

  /** Returns a token after a success. */
  refund(): void {
    this.#tokens = Math.min(capacity, this.#tokens + 1);
  }
}
