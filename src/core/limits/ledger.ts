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

/** Tracks reported charges and budget reservations. */
export class Ledger {
  readonly #byModel = new Map<string, ModelSpend>();
  /** Keys whose charge is recorded. True if it was recorded from a replay, before the original response arrived. */
  readonly #keys = new Map<unknown, boolean>();
  readonly #reservations = new Map<unknown, number>();
  #totalUsd = 0;
  #requests = 0;

  /** What is spent, and what is reserved by other owners. An owner is an idempotency key, or a call without one. */
  commitments(owner: unknown): Commitments {
    let reserved = 0;
    for (const [other, usd] of this.#reservations) if (other !== owner) reserved += usd;
    return { spent: this.#totalUsd, reserved };
  }

  /** Whether a charge under this key is recorded, so that a retry with it is free. */
  hasCharge(key: unknown): boolean {
    return this.#keys.has(key);
  }

  /** Reserves a price until the request is charged, or certainly will not be. */
  reserve(owner: unknown, usd: number): void {
    this.#reservations.set(owner, usd);
  }

  releaseReservation(owner: unknown): void {
    this.#reservations.delete(owner);
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
