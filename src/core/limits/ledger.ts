import type { Charge, ModelSpend, Spend } from '../../schemas/charge.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { Commitments } from './budget.ts';
import { liveView } from './live-view.ts';
import { roundUsd } from './round-usd.ts';

/** What is known of a paid request when its answer arrives. */
export interface PaidRequest {
  route: string;
  model: string | undefined;
  idempotencyKey: string | undefined;
}

/** How many keys are remembered, so that a replay is told from a charge whose first answer was lost. */
const rememberedKeys = 10_000;

/** Counts what was charged, as the service reports it. Nothing else in the client adds up money. */
export class Ledger {
  readonly #byModel = new Map<string, ModelSpend>();
  /** Keys whose charge is in the books; true where a replay told of it before its own answer came. */
  readonly #keys = new Map<unknown, boolean>();
  readonly #reserved = new Map<unknown, number>();
  #totalUsd = 0;
  #requests = 0;

  /** What is spent, and what is set aside for others than `owner`, USD. */
  commitments(owner: unknown): Commitments {
    let reserved = 0;
    for (const [other, usd] of this.#reserved) if (other !== owner) reserved += usd;
    return { spent: this.#totalUsd, reserved };
  }

  /** Whether a charge under this key is in the books: asking again costs nothing. */
  hasCharge(key: unknown): boolean {
    return this.#keys.has(key);
  }

  /** Sets a price aside until it is charged, or it is certain that it is not. */
  reserve(owner: unknown, usd: number): void {
    this.#reserved.set(owner, usd);
  }

  /** Ends a reservation. */
  releaseReservation(owner: unknown): void {
    this.#reserved.delete(owner);
  }

  /** What users see; a live view. */
  view(): Spend {
    return liveView<Spend>({
      totalUsd: () => this.#totalUsd,
      requests: () => this.#requests,
      byModel: () => this.#byModel,
    });
  }

  /**
   * Enters an answer and tells what it cost; undefined when it was not charged. A replay of a key that is in the
   * books costs nothing; a replay of a charge whose answer was lost is entered now, and that answer costs nothing should
   * it come after all.
   */
  record({ route, model, idempotencyKey }: PaidRequest, meta: ResponseMeta): Charge | undefined {
    if (meta.chargeUsd === undefined) return undefined;
    const { requestId, taskId, idempotentReplay: replay } = meta;
    const before = this.#keys.get(idempotencyKey);
    const counted = replay ? before !== undefined : before === true;
    const usd = counted ? 0 : meta.chargeUsd;
    if (!counted) this.#add(model ?? '', usd);
    if (idempotencyKey !== undefined) this.#remember(idempotencyKey, replay && before !== false);
    return { usd, model, route, requestId, taskId, replay };
  }

  #add(model: string, usd: number): void {
    this.#totalUsd = roundUsd(this.#totalUsd + usd);
    this.#requests += 1;
    const before = this.#byModel.get(model) ?? { usd: 0, requests: 0 };
    this.#byModel.set(model, { usd: roundUsd(before.usd + usd), requests: before.requests + 1 });
  }

  #remember(key: string, early: boolean): void {
    this.#keys.set(key, early);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > rememberedKeys && oldest !== undefined) this.#keys.delete(oldest);
  }
}
