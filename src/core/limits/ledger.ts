import type { Outcome } from '../../errors/base.ts';
import type { Charge, ModelSpend, Spend } from '../../schemas/charge.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { Commitments } from './budget.ts';
import { liveView } from './live-view.ts';
import { roundUsd } from './round-usd.ts';

/** A paid request whose response has arrived. */
export interface PaidRequest {
  route: string;
  model: string | undefined;
  idempotencyKey: string | undefined;
}

/** Number of idempotency keys to remember, to recognize replays of charges that are already recorded. */
const maxRememberedKeys = 10_000;

/** Money set aside for the requests of one owner, of which at most one is charged. */
interface Reservation {
  usd: number;
  /** The requests in progress. After one with an unknown outcome, also the owner itself. */
  readonly holders: Set<unknown>;
}

/** Tracks reported charges and budget reservations. */
export class Ledger {
  readonly #byModel = new Map<string, ModelSpend>();
  /** Keys whose charge is recorded. True if it was recorded from a replay, before the original response arrived. */
  readonly #keys = new Map<unknown, boolean>();
  readonly #reservations = new Map<unknown, Reservation>();
  #totalUsd = 0;
  #requests = 0;

  /**
   * What is spent, and what is reserved by other owners. An owner is an idempotency key, or a call that is charged each
   * time it is sent.
   */
  commitments(owner: unknown): Commitments {
    let reserved = 0;
    for (const [other, { usd }] of this.#reservations) if (other !== owner) reserved += usd;
    return { spent: this.#totalUsd, reserved };
  }

  /** Whether a charge under this key is recorded, so that a retry with it is free. */
  hasCharge(key: unknown): boolean {
    return this.#keys.has(key);
  }

  /** Reserves a price for a call. Calls of the same owner share one reservation. */
  reserve(owner: unknown, call: object, usd: number): void {
    const shared = this.#reservations.get(owner) ?? { usd, holders: new Set() };
    shared.usd = Math.max(shared.usd, usd);
    shared.holders.add(call);
    this.#reservations.set(owner, shared);
  }

  /** Ends the reservation of an owner that has been charged. */
  releaseReservation(owner: unknown): void {
    this.#reservations.delete(owner);
  }

  /**
   * Ends the part of a failed call in a reservation, which remains while other calls share it. After an unknown
   * outcome, it also remains until a later call of the same owner is charged or rejected.
   */
  leaveReservation(owner: unknown, call: object, outcome: Outcome | undefined): void {
    const { holders } = this.#reservations.get(owner) ?? {};
    if (!holders?.delete(call)) return;
    if (outcome === 'unknown') holders.add(owner);
    if (outcome === 'rejected') holders.delete(owner);
    if (holders.size === 0) this.#reservations.delete(owner);
  }

  /** The live view behind `gateway.spend`. */
  view(): Spend {
    return liveView<Spend>({
      totalUsd: () => this.#totalUsd,
      requests: () => this.#requests,
      byModel: () => this.#byModel,
    });
  }

  /**
   * Records the charge that a response reports; returns undefined if it reports none. A replay of a recorded key costs
   * nothing. A replay whose original response was lost is recorded now, and the original costs nothing if it still
   * arrives.
   */
  record({ route, model, idempotencyKey }: PaidRequest, meta: ResponseMeta): Charge | undefined {
    if (meta.chargeUsd === undefined) return undefined;
    const { requestId, taskId, idempotentReplay: replay } = meta;
    const recordedFromReplay = this.#keys.get(idempotencyKey);
    const isRecorded = replay ? recordedFromReplay !== undefined : recordedFromReplay === true;
    const usd = isRecorded ? 0 : meta.chargeUsd;
    if (!isRecorded) this.#add(model ?? '', usd);
    if (idempotencyKey !== undefined) {
      this.#rememberKey(idempotencyKey, replay && recordedFromReplay !== false);
    }
    return { usd, model, route, requestId, taskId, replay };
  }

  #add(model: string, usd: number): void {
    this.#totalUsd = roundUsd(this.#totalUsd + usd);
    this.#requests += 1;
    const before = this.#byModel.get(model) ?? { usd: 0, requests: 0 };
    this.#byModel.set(model, { usd: roundUsd(before.usd + usd), requests: before.requests + 1 });
  }

  #rememberKey(key: string, fromReplay: boolean): void {
    this.#keys.set(key, fromReplay);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > maxRememberedKeys && oldest !== undefined) this.#keys.delete(oldest);
  }
}
