import { BudgetExceededError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { roundUsd, toNano, toUsd } from '../../paid/amounts.ts';
import { decideLimit, isUnpriced, limitPolicies } from '../../paid/limits.ts';
import type { Expected, LimitState } from '../../paid/limits.ts';
import { ReservedSums } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import type { Verdict } from '../../paid/verdict.ts';
import {
  forPrograms,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from './budget-decisions.ts';
import { Changes } from './changes.ts';
import { noCost, unpricedSubmits } from './row-history.ts';
import type { RowCost, RowHistory } from './row-history.ts';
import type { Row } from './row.ts';

/** What is set aside for a submission until it is settled. */
export interface ReservedPrice extends Expected {
  /** Path of the endpoint. */
  readonly path: string;
  /** Whether it may have been sent. A row that waits for its slot is not. */
  readonly isSent: boolean;
}

/** What a submission may cost. */
export interface Purchase {
  /** Path of the endpoint: requests to it have similar prices. */
  readonly path: string;
  /** In USD; undefined if it is not known. */
  readonly price: number | undefined;
  readonly units: PricedUnits | undefined;
  /**
   * The number of unpriced submissions of earlier runs that this one repeats under their key: together, they are charged
   * once.
   */
  readonly repeats: number;
}

/** The budget of a batch, over all runs of its journal. Also adds up its costs if there is no limit. */
export class BatchBudget {
  readonly #maxUsd: number;
  #chargedUsd = 0;
  /** What submissions reserve that may be charged, and those of earlier runs by the ids of their rows. */
  readonly #sums = new ReservedSums<Row | string>();
  /** The largest charge so far, by path: what a request may cost if its price is not known. */
  readonly #largest = new Map<string, number>();
  /** Number of submissions that were or may have been charged, and of which neither charge nor price is known, by path. */
  readonly #unpriced = new Map<string, number>();
  /** How many charges the rows of a key have, of keys for which an earlier run knows a charge but has no result. */
  readonly #paidRows = new Map<string, number>();
  /** What is reserved for the submissions that are not settled. */
  readonly #reserved = new Map<Row, ReservedPrice>();
  /** Submissions that were settled. */
  readonly #changes = new Changes();

  constructor(maxUsd = Infinity) {
    this.#maxUsd = maxUsd === Infinity ? maxUsd : roundUsd(maxUsd);
  }

  /** The costs of all rows in all runs. Unpriced submissions may have cost as much as any other. */
  get total(): Pick<RowCost, 'chargedUsd' | 'estimatedUsd'> {
    const unpriced = unpricedUsd(this.#unpriced, this.#largest);
    return {
      chargedUsd: this.#chargedUsd,
      estimatedUsd: roundUsd(toUsd(this.#sums.total) + unpriced),
    };
  }

  /** Adds what earlier runs have spent on their rows. */
  addEarlier(rows: ReadonlyMap<string, RowHistory>): void {
    for (const { key, receipt, isChargeKnown } of rows.values()) {
      if (isChargeKnown && !receipt && key) this.#paidRows.set(key, 0);
    }
    for (const [id, row] of rows) this.#addRow(id, row);
  }

  #addRow(id: string, row: RowHistory): void {
    const { cost = noCost, path = '', units, key } = row;
    const { chargedUsd, estimatedUsd, largestUsd } = cost;
    if (chargedUsd > 0) this.#countPaidRow(key);
    const unpriced = unpricedSubmits(row);
    this.#addCharge(chargedUsd);
    if (estimatedUsd > 0) this.#sums.set(id, toNano(estimatedUsd), units);
    if (largestUsd > 0) this.#recordCharge(path, units, largestUsd);
    if (unpriced > 0) this.#addUnpriced(path, unpriced);
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
    const { path, units, repeats } = purchase;
    const { signal } = row.controller;
    for (;;) {
      const state = this.#stateFor(purchase);
      const decision = decideLimit(limitPolicies.batch, state);
      if (decision === 'held') {
        this.#addUnpriced(path, -repeats);
        return this.#raise(row, { ...state.next, path, isSent: false }, units);
      }
      if (decision === 'exceeded') throw this.#exceeded(state);
      await this.#changes.next(signal);
      signal.throwIfAborted();
    }
  }

  /**
   * Checks a reservation right before it is sent: other rows may have cost more than they had reserved.
   *
   * @throws {@link BudgetExceededError} if the budget does not cover it any more.
   */
  recheck(row: Row): void {
    const reserved = this.#reserved.get(row);
    if (reserved === undefined || this.#limit === Infinity) return;
    const { chargedUsd, estimatedUsd } = this.total;
    // A charge may have shown since then what a row of unknown price costs.
    const { path, basis } = reserved;
    const own = this.#sums.amountOf(row);
    const next: Expected =
      basis === 'price'
        ? { nanoUsd: own, basis }
        : reservationFor(undefined, this.#largest.get(path));
    // The rows that are not sent, either, do not keep this one back.
    const committed =
      toNano(chargedUsd + estimatedUsd) - this.#unsent - (reserved.isSent ? own : 0);
    const state = { limit: this.#limit, committed, next };
    if (decideLimit(limitPolicies.batch, state) !== 'held') throw this.#exceeded(state);
    this.#raise(row, { ...reserved, ...next, isSent: true });
  }

  /**
   * Takes note of a charge that a response reports. It is settled when the body was read, and rows that wait for the slot of
   * this one must not be sent before.
   */
  noteCharge(row: Row, usd: number): void {
    const reserved = this.#reserved.get(row);
    if (reserved === undefined) return;
    row.noteCharge(usd);
    this.#recordCharge(reserved.path, this.#unitsOf(row), usd);
    this.#raise(row, { ...reserved, nanoUsd: Math.max(toNano(usd), reserved.nanoUsd) });
  }

  /** What a row pays for, if its price was known. */
  #unitsOf(row: Row): PricedUnits | undefined {
    return this.#sums.unitsOf(row) ?? row.history.units;
  }

  /** What rows have reserved that wait for their slot. */
  get #unsent(): number {
    let nano = 0;
    for (const [row, { isSent }] of this.#reserved) if (!isSent) nano += this.#sums.amountOf(row);
    return nano;
  }

  get #limit(): number {
    return this.#maxUsd === Infinity ? Infinity : toNano(this.#maxUsd);
  }

  #stateFor({ path, price, units, repeats }: Purchase): LimitState {
    const { chargedUsd, estimatedUsd } = this.total;
    const learnedUsd = toUsd(this.#sums.largest(units));
    const expected = price === undefined ? undefined : Math.max(price, learnedUsd);
    const repeated = Math.min(repeats, this.#unpricedAt(path));
    const repeatedUsd = repeated * this.#largestAt(path);
    return {
      limit: this.#limit,
      committed: toNano(chargedUsd + estimatedUsd - repeatedUsd),
      next: reservationFor(expected, this.#largest.get(path)),
      inFlight: this.#reserved.size,
      unpriced: this.#unpricedAt(path) - repeated,
    };
  }

  /**
   * Whether the service still protects a row from a second charge, of which a failed response has reported the first one: only
   * until its key is charged again.
   */
  isFree({ idempotencyKey = '', history: { isChargeKnown, isKeyForgotten } }: Row): boolean {
    const isPaid = isChargeKnown === true && isKeyForgotten !== true;
    return isPaid && this.#paidRows.get(idempotencyKey) === 1;
  }

  /** Takes over the reservation of an earlier run, whose submission is sent again under its key. */
  adopt(row: Row, path: string): void {
    const nanoUsd = toNano(row.cost.estimatedUsd);
    this.#sums.delete(row.id);
    const reserved = { nanoUsd, basis: 'price', path, isSent: true } as const;
    // What is free does not cost what others of its class do.
    this.#raise(row, reserved, nanoUsd > 0 ? row.history.units : undefined);
  }

  /** Ends the reservation of a submission. If it still counts, but has no amount, the submission is unpriced. */
  settle(row: Row, verdict: Verdict): void {
    const reserved = this.#reserved.get(row);
    if (reserved === undefined) return;
    this.#reserved.delete(row);
    const { path } = reserved;
    const units = this.#unitsOf(row);
    switch (verdict.money) {
      case 'charged':
        this.#sums.delete(row);
        this.#addCharge(verdict.usd);
        this.#countPaidRow(row.idempotencyKey);
        row.addCharge(verdict.usd);
        this.#recordCharge(path, units, verdict.usd);
        break;
      case 'none':
      case 'void':
        this.#sums.delete(row);
        break;
      case 'accepted':
      case 'unknown':
        if (isUnpriced(reserved)) this.#addUnpriced(path, 1);
    }
    this.#update(row);
    this.#changes.notify();
  }

  #raise(row: Row, reserved: ReservedPrice, units?: PricedUnits): void {
    this.#reserved.set(row, reserved);
    this.#sums.set(row, reserved.nanoUsd, units);
    this.#update(row);
  }

  /** Updates what the row itself knows, which its lines record. */
  #update(row: Row): void {
    row.setEstimate(toUsd(this.#sums.amountOf(row) + this.#sums.amountOf(row.id)));
  }

  #addUnpriced(path: string, count: number): void {
    this.#unpriced.set(path, Math.max(0, this.#unpricedAt(path) + count));
  }

  #unpricedAt(path: string): number {
    return this.#unpriced.get(path) ?? 0;
  }

  #largestAt(path: string): number {
    return this.#largest.get(path) ?? 0;
  }

  /** Learns from a charge what such rows cost, those included that have reserved less. */
  #recordCharge(path: string, units: PricedUnits | undefined, usd: number): void {
    this.#largest.set(path, Math.max(this.#largestAt(path), usd));
    if (units) this.#sums.learn(units, toNano(usd));
  }

  #countPaidRow(key = ''): void {
    const rows = this.#paidRows.get(key);
    if (rows !== undefined) this.#paidRows.set(key, rows + 1);
  }

  #addCharge(usd: number): void {
    this.#chargedUsd = roundUsd(this.#chargedUsd + usd);
  }

  #exceeded(state: LimitState): BudgetExceededError {
    const { chargedUsd, estimatedUsd } = this.total;
    const sentUsd = toUsd(toNano(estimatedUsd) - this.#unsent);
    const summary = (wording = forPrograms) =>
      `Budget of the batch exceeded: ${wording.amounts(chargedUsd, this.#maxUsd)} spent, ` +
      `${wording.usd(sentUsd)} reserved for rows that may have been charged; ${reservationProblem(state, wording)}`;
    const details = { outcome: 'not-sent', spentUsd: chargedUsd, maxUsd: this.#maxUsd } as const;
    return createError(BudgetExceededError, { summary }, details);
  }
}
