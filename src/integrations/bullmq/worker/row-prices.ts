import type { KnownPrices, Polygate } from 'polygate';

import { highestPrice } from '../../../internal.ts';
import { isRejected, lacksKey } from '../decisions/failures.ts';
import { estimateUsd } from '../row-driver.ts';
import type { RowData } from '../stored-row.ts';

/** How long known prices are used, in ms. */
const pricingTime = 300_000;

/** The prices of models, which are fetched every few minutes. */
export class RowPrices {
  readonly #gateway: Polygate;
  readonly #known = new Map<string, { pricing: Promise<KnownPrices>; expiresAt: number }>();

  constructor(gateway: Polygate) {
    this.#gateway = gateway;
  }

  /** What a row costs in USD with the most expensive of its models; undefined if the price of one is not known. */
  async of({ kind, ...data }: RowData): Promise<number | undefined> {
    if (kind === 'chat') return undefined;
    const models = [data.params.model, ...(data.fallback ?? [])];
    return highestPrice(models, async (model) =>
      estimateUsd({ ...data, kind }, await this.#pricingOf(model)),
    );
  }

  #pricingOf(model: string): Promise<KnownPrices> {
    const now = performance.now();
    let known = this.#known.get(model);
    if (known === undefined || known.expiresAt < now) {
      const pricing = this.#gateway.models.retrieve(model).then(
        (record) => record.pricing,
        (error: unknown) => {
          // The service does not know the model, so there is no price to wait for.
          if (isRejected(error) && !lacksKey(error)) return undefined;
          this.#known.delete(model);
          throw error;
        },
      );
      known = { pricing, expiresAt: now + pricingTime };
      this.#known.set(model, known);
    }
    return known.pricing;
  }
}
