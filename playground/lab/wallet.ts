import type { MockGateway } from 'polygate/mock';

import type { LabWallet } from '../shared/lab.ts';

/** The most that can be added at a time, in USD. */
const maxTopUpUsd = 1000;

/** The wallet of the reference gateway, which the page can top up and reset. */
export class Wallet {
  readonly #mock: MockGateway;
  readonly #startUsd: number;
  #resetAt: number | undefined;

  constructor(mock: MockGateway) {
    this.#mock = mock;
    this.#startUsd = mock.wallet.usd;
  }

  get state(): LabWallet {
    return { usd: this.#mock.wallet.usd, startUsd: this.#startUsd, resetAt: this.#resetAt };
  }

  /** Adds an amount in USD. Returns false if the amount is invalid. */
  topUp(usd: unknown): boolean {
    if (typeof usd !== 'number' || !(usd > 0 && usd <= maxTopUpUsd)) return false;
    this.#mock.setBalance(this.#mock.wallet.usd + usd);
    return true;
  }

  /**
   * Restores the first balance and starts a new invoice. Returns false while requests are in flight, because they may be
   * on neither invoice.
   */
  reset(): boolean {
    if (this.#mock.inFlight > 0) return false;
    this.#mock.clearRecords();
    this.#mock.setBalance(this.#startUsd);
    this.#resetAt = Date.now();
    return true;
  }
}
