import { BudgetExceededError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { toNano, toUsd } from '../../paid/amounts.ts';
import { limitPolicies } from '../../paid/limits.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { Reservations } from '../../paid/reservations.ts';
import type { Reservation, Shortfall } from '../../paid/reservations.ts';
import type { Verdict } from '../../paid/verdict.ts';
import { forPrograms, reservationProblem } from './budget-decisions.ts';
import { Changes } from './changes.ts';
import { mayBeCharged, noCost, unpricedSubmits } from './row-history.ts';
import type { RowCost, RowHistory } from './row-history.ts';
import type { Row } from './row.ts';

/** What a submission may cost. */
export interface Purchase {
  /** Path of the endpoint: requests to it have similar prices. */
  readonly path: string;
  /** In USD; undefined if it is not known. */
  readonly price: number | undefined;
  readonly units: PricedUnits | undefined;
  /** What an earlier run has counted for the submission that it repeats under its key: together, they are charged once. */
  readonly repeated?: 'reserved' | 'unpriced' | undefined;
}

const policy = limitPolicies.batch;

/** A row has reserved what earlier runs have sent, and what this run sends unless it repeats that. */
const earlierHolder = (id: string) => `earlier ${id}`;
const ownHolder = (id: string) => `own ${id}`;

/** The budget of a batch, over all runs of its journal. Also adds up its costs if there is no limit. */
export class BatchBudget {
  /** In billionths of a USD. */
  readonly #limit: number;
  readonly #charged = { spent: 0, estimated: 0 };
  readonly #reservations = new Reservations(this.#charged);
  /** How many charges the rows of a key have, of keys that an earlier run has paid for or may have, and has no result. */
  readonly #paidRows = new Map<string, number>();
  /** The submissions that are not settled. */
  readonly #open = new Set<Row>();
  /** Also those that are settled, whose charge may still be reported. */
  readonly #submissions = new WeakMap<Row, Reservation>();
  /** Submissions that were settled. */
  readonly #changes = new Changes();

  constructor(maxUsd = Infinity) {
    this.#limit = maxUsd === Infinity ? maxUsd : toNano(maxUsd);
  }

  /** The costs of all rows in all runs. Unpriced submissions may have cost as much as any other. */
  get total(): Pick<RowCost, 'chargedUsd' | 'estimatedUsd'> {
    const { committed, total } = this.#reservations;
    return { chargedUsd: toUsd(committed.spent), estimatedUsd: toUsd(total) };
  }

  /** Adds what earlier runs have spent on their rows. */
  addEarlier(rows: ReadonlyMap<string, RowHistory>): void {
    for (const row of rows.values()) {
      if (mayBeCharged(row) && !row.receipt && row.key) this.#paidRows.set(row.key, 0);
    }
    for (const [id, row] of rows) this.#addRow(id, row);
  }

  #addRow(id: string, row: RowHistory): void {
    const { cost = noCost, path = '', units, key } = row;
    const { chargedUsd, estimatedUsd, largestUsd } = cost;
    if (chargedUsd > 0) this.#countPaidRow(key);
    this.#charged.spent += toNano(chargedUsd);
    if (largestUsd > 0) {
      const charge = toNano(largestUsd);
      this.#reservations.learn({ priceClass: path, units: 1 }, charge);
      if (units) this.#reservations.learn(units, charge);
    }
    const holder = earlierHolder(id);
    const unpriced = { priceClass: path, units: unpricedSubmits(row) };
    const paysFor = unpriced.units > 0 ? unpriced : units;
    if (estimatedUsd > 0 || unpriced.units > 0)
      this.#reservations.hold({ holder, id: holder }, toNano(estimatedUsd), paysFor);
  }

  /**
   * Reserves the price of a submission, which must be settled. If it does not fit, waits for the submissions that are
   * in flight, whose charges may be lower. Until the first charge is known, requests without a price are sent one at a
   * time, and only while few of them are unpriced.
   *
   * @throws {@link BudgetExceededError} when the remaining budget does not cover the price, or might not because the price is
   * unknown.
   */
  async reserve(row: Row, purchase: Purchase): Promise<void> {
    const { path, price, units, repeated } = purchase;
    const { signal } = row.controller;
    const holder = repeated ? earlierHolder(row.id) : ownHolder(row.id);
    const reservation = this.#reservations.open({
      id: holder,
      holder,
      route: path,
      bodyOf: () => '',
      unitsOf: () => units,
      isFree: () => false,
    });
    const stage = repeated === 'reserved' ? 'resending' : 'queueing';
    const nanoUsd = stage === 'resending' && this.isProtected(row) ? Infinity : this.#limit;
    for (;;) {
      const limit = { nanoUsd, policy, inFlight: this.#open.size };
      const shortfall = reservation.reserve(limit, price, stage);
      if (shortfall === undefined) break;
      if (shortfall.decision === 'exceeded') throw this.#exceeded(shortfall);
      await this.#changes.next(signal);
      signal.throwIfAborted();
    }
    this.#open.add(row);
    this.#submissions.set(row, reservation);
    this.#update(row);
  }

  /**
   * Checks a reservation right before it is sent: other rows may have cost more than they had reserved. `isResent`: an earlier
   * attempt may have been charged. Only after a charge, which is spent, the next one is checked.
   *
   * @throws {@link BudgetExceededError} if the budget does not cover it any more.
   */
  recheck(row: Row, isResent: boolean): void {
    const reservation = this.#submissions.get(row);
    const limit = { nanoUsd: this.#limit, policy };
    const shortfall = isResent
      ? reservation?.repeat(limit, 'sending')
      : reservation?.reserve(limit, reservation.price, 'sending');
    this.#update(row);
    if (shortfall) throw this.#exceeded(shortfall, isResent);
  }

  /**
   * Whether the budget covers another attempt of a row. After a charge, it reserves the price once more: a service that ignores
   * its key charges each attempt.
   */
  mayRetry(row: Row): boolean {
    const reservation = this.#submissions.get(row);
    const shortfall = reservation?.repeat({ nanoUsd: this.#limit, policy }, 'resending');
    this.#update(row);
    return shortfall === undefined;
  }

  /**
   * Adds the charge that a response reports, before its body was read: rows that wait for the slot of this one must not be
   * sent before.
   */
  addCharge(row: Row, verdict: Verdict, isLate: boolean): void {
    if (verdict.money !== 'charged') return;
    if (row.charges.add(verdict, isLate)) {
      this.#charged.spent += toNano(verdict.usd);
      this.#countPaidRow(row.idempotencyKey);
    }
    this.#submissions.get(row)?.charge(verdict.usd);
    this.#update(row);
    this.#changes.notify();
  }

  /**
   * Whether what an earlier run may have sent is sent again whatever the limit covers. If its key was charged twice, the service
   * would charge it again.
   */
  isProtected({ idempotencyKey = '' }: Row): boolean {
    return (this.#paidRows.get(idempotencyKey) ?? 0) < 2;
  }

  /** Whether a row costs nothing, because a failed response has reported the only charge of its key. */
  isFree({ idempotencyKey = '', charges }: Row): boolean {
    return charges.isFree && this.#paidRows.get(idempotencyKey) === 1;
  }

  /** Ends the reservation of a submission that was accepted. Returns whether its charge is known. */
  accept(row: Row, verdict: Verdict): boolean {
    const isKnown = verdict.money === 'charged' || row.charges.covers(verdict);
    // Without a charge, it costs as much as others, even if their charges are reported later.
    const { largestUsd } = row.charges;
    if (!isKnown && largestUsd > 0) this.#submissions.get(row)?.raise(largestUsd);
    this.settle(row, isKnown ? 'none' : verdict.money);
    return isKnown;
  }

  /** Ends the reservation of a submission. If it still counts, but has no amount, the submission is unpriced. */
  settle(row: Row, money: Verdict['money']): void {
    const reservation = this.#submissions.get(row);
    if (reservation === undefined || !this.#open.delete(row)) return;
    reservation.leave(money);
    this.#update(row);
    this.#changes.notify();
  }

  /** Updates what the row itself knows, which its lines record. */
  #update(row: Row): void {
    const earlier = this.#reservations.amountOf(earlierHolder(row.id));
    row.setEstimate(toUsd(earlier + this.#reservations.amountOf(ownHolder(row.id))));
  }

  #countPaidRow(key = ''): void {
    const rows = this.#paidRows.get(key);
    if (rows !== undefined) this.#paidRows.set(key, rows + 1);
  }

  #exceeded(shortfall: Shortfall, isCharged = false): BudgetExceededError {
    const { chargedUsd: spentUsd, estimatedUsd } = this.total;
    const maxUsd = toUsd(this.#limit);
    const sentUsd = toUsd(toNano(estimatedUsd) - this.#reservations.totalUnsent());
    const summary = (wording = forPrograms) =>
      `Budget of the batch exceeded: ${wording.amounts(spentUsd, maxUsd)} spent, ` +
      `${wording.usd(sentUsd)} reserved for rows that may have been charged; ${reservationProblem(shortfall, wording)}`;
    const charge = isCharged ? 'This row was charged, and was not sent again.' : undefined;
    const outcome = isCharged ? 'unknown' : 'not-sent';
    return createError(BudgetExceededError, { summary, charge }, { outcome, spentUsd, maxUsd });
  }
}
