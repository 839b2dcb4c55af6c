/** Maximum number of retries without a success in between. */
const capacity = 20;

/**
 * Keeps a client from flooding a service that is down. A retry spends a token and a success returns one; with no tokens
 * left, failures are thrown immediately.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Spends a token on a retry. Returns false if none is left. */
  trySpend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Returns a token after a success. */
  refund(): void {
    this.#tokens = Math.min(capacity, this.#tokens + 1);
  }
}
