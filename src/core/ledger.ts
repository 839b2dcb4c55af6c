import type { Charge, ModelSpend, Spend } from '../schemas/charge.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import { live } from './live.ts';
import { tidy } from './money.ts';

/** What is known of a paid request when its answer arrives. */
export interface Paid {
  route: string;
  model: string | undefined;
  idempotencyKey: string | undefined;
}

/** How many keys are remembered, so that a replay is told from a charge whose first answer was lost. */
const rememberedKeys = 10_000;

/** Counts what was charged, as the service reports it. Nothing else in the client adds up money. */
export class Ledger {
  readonly #byModel = new Map<string, ModelSpend>();
  readonly #keys = new Set<string>();
  #totalUsd = 0;
  #requests = 0;

  /** What was charged so far, USD. */
  get totalUsd(): number {
    return this.#totalUsd;
  }

  /** What users see; a live view. */
  view(): Spend {
    return live<Spend>({
      totalUsd: () => this.#totalUsd,
      requests: () => this.#requests,
      byModel: () => this.#byModel,
    });
  }

  /**
   * Enters an answer and tells what it cost; undefined when it was not charged. A replay of a key that is in the
   * books costs nothing; a replay of a charge whose answer was lost is entered now.
   */
  enter({ route, model, idempotencyKey }: Paid, meta: ResponseMeta): Charge | undefined {
    if (meta.chargeUsd === undefined) return undefined;
    const counted = idempotencyKey !== undefined && this.#keys.has(idempotencyKey);
    const usd = meta.idempotentReplay && counted ? 0 : meta.chargeUsd;
    if (!(meta.idempotentReplay && counted)) this.#add(model ?? '', usd);
    if (idempotencyKey !== undefined) this.#remember(idempotencyKey);
    const { requestId, taskId, idempotentReplay: replay } = meta;
    return { usd, model, route, requestId, taskId, replay };
  }

  #add(model: string, usd: number): void {
    this.#totalUsd = tidy(this.#totalUsd + usd);
    this.#requests += 1;
    const before = this.#byModel.get(model) ?? { usd: 0, requests: 0 };
    this.#byModel.set(model, { usd: tidy(before.usd + usd), requests: before.requests + 1 });
  }

  #remember(key: string): void {
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > rememberedKeys && oldest !== undefined) this.#keys.delete(oldest);
  }
}
