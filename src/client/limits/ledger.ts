import { toNano, toUsd } from '../../paid/amounts.ts';
import { Books } from '../../paid/books.ts';
import type { Entry } from '../../paid/books.ts';
import type { Verdict } from '../../paid/verdict.ts';
import type { Charge, ModelSpend, ResponseMeta, Spend } from '../../wire/types/meta.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import { checkValue, functionValue } from '../config/validation.ts';

/** The parts of a response's metadata that describe its charge. */
type ChargeMeta = Pick<ResponseMeta, 'requestId' | 'taskId' | 'chargeUsd'>;

/** Tracks reported charges and budget reservations. */
export type Ledger = ReturnType<typeof createLedger>;

/** Creates an empty ledger. */
export function createLedger() {
  const books = new Books();
  const byModel = new Map<string, ModelSpend>();
  const listeners = new Set<() => void>();
  let requests = 0;

  function add(model: string, usd: number): void {
    requests += 1;
    const before = byModel.get(model) ?? { usd: 0, requests: 0 };
    const sum = toUsd(toNano(before.usd) + toNano(usd));
    byModel.set(model, { usd: sum, requests: before.requests + 1 });
    for (const listener of listeners) listener();
  }

  /** The live view behind `gateway.spend`. */
  const view: Spend = {
    get totalUsd() {
      return toUsd(books.spent);
    },
    get requests() {
      return requests;
    },
    byModel,
  };

  return {
    view,
    books,

    /** Calls `listener` with the live view after each charge. Returns a function that stops it. */
    listen(listener: (spend: Spend) => void, log: Log): () => void {
      checkValue('onSpend', listener, functionValue);
      // A new function, so that two registrations of one listener are independent.
      const own = () => notify(log, listener, view, 'onSpend');
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    /**
     * Ends the reservation of a paid call to a model, and records the charge that a response reports or the estimate that counts
     * instead. Returns undefined if no charge is reported. After an error that reports none, `entry.leave` decides what stays
     * reserved.
     */
    record(
      entry: Entry,
      model: string | undefined,
      verdict: Verdict,
      { requestId, taskId, chargeUsd }: ChargeMeta,
    ): Charge | undefined {
      const { money, replay } = verdict;
      const details = { model, route: entry.route, requestId, taskId, replay, usd: 0 };
      if (money === 'accepted') {
        entry.accept(replay);
        return chargeUsd === undefined ? undefined : details;
      }
      if (money !== 'charged') return undefined;
      const { usd } = verdict;
      if (!entry.charge(usd, replay)) return details;
      add(model ?? '', usd);
      return { ...details, usd };
    },
  };
}
