import { PaymentRequiredError } from '../../errors/status.ts';
import type { Log } from '../config/log.ts';
import { emptyMeta } from '../http/response-meta.ts';

/**
 * The pause of a batch or a recovery, which begins at the first 402 and lasts until its end. No row is sent after that,
 * because the service would reject it. Submissions that are in flight continue, because they may be accepted.
 */
export class Pause {
  readonly #log: Log;
  readonly #controller = new AbortController();
  /** Rows whose request has not been sent. A listener on one signal for each would cause a warning in Node 20. */
  readonly #unsent = new Set<AbortController>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why unsent rows are aborted; undefined before the pause. */
  get reason(): Error | undefined {
    const { signal } = this.#controller;
    return signal.aborted && signal.reason instanceof Error ? signal.reason : undefined;
  }

  /** Aborts all unsent rows. Has no effect on a batch that is paused. */
  begin(): void {
    if (this.reason) return;
    const reason = new PaymentRequiredError('402', { meta: emptyMeta(402), outcome: 'not-sent' });
    this.#controller.abort(reason);
    for (const row of this.#unsent) row.abort(reason);
    this.#log.warn(() => '402: No more rows are submitted. Waiting for accepted rows.');
  }

  /** Registers a row as unsent: the pause aborts it. */
  add(row: AbortController): void {
    this.#unsent.add(row);
    if (this.reason) row.abort(this.reason);
  }

  /** The request of the row has been sent, or never will be. */
  delete(row: AbortController): void {
    this.#unsent.delete(row);
  }
}
