import { createHash } from 'node:crypto';

import type { Polygate, KnownPrices } from 'polygate';

import { highestPrice, contextOf } from '../../../internal.ts';
import { estimatedUnits } from '../../../paid/prices.ts';
import type { PricedUnits } from '../../../paid/prices.ts';
import { lateChargeOf, lateStep } from '../decisions/chat-plan.ts';
import type { Move, Step } from '../decisions/step.ts';
import { repeatInOutage } from '../redis/connection.ts';
import type { RowStore } from '../redis/row-store.ts';
import { estimateUsd } from '../row-driver.ts';
import { isRejected, lacksKey } from '../row.ts';
import type { StoredRow, RowData } from '../row.ts';
import { textFor } from './steps.ts';

/**
 * Records what a submission has led to, which only this process knows, even if Redis is unreachable for a while:
 * another process can only send a task again under its key, and has to record a chat as one that may have been charged.
 *
 * Returns the step that is recorded; undefined if the row was taken, retried or removed in the meantime, or Redis
 * cannot be reached anymore. Logs a completion that could not be recorded, and the end of any chat if Redis cannot be
 * reached.
 */
export async function recordSubmission(
  gateway: Polygate,
  rows: RowStore,
  row: StoredRow,
  step: Step,
): Promise<Step | undefined> {
  const { id, kind } = row.data;
  const warn = (text: string) => contextOf(gateway).log.warn(() => `row ${id}: ${text}`);
  const warnOf = (problem: string) => (error: unknown) =>
    warn(`${problem}, so the end of its submission is recorded later. ${textFor(error)}`);
  try {
    const record = () => recordStep(rows, row, step);
    const recorded = await repeatInOutage(rows.redis, record, {
      onOutage: warnOf('Redis is unreachable'),
      onRejection: warnOf('Redis has rejected a command'),
    });
    if (recorded !== 'late') return recorded;
    warn(
      `${describeResponse(step.move)}, but came after its row was retried or removed, so it is not the result of a row.`,
    );
  } catch (error) {
    if (kind !== 'chat') throw error;
    warn(
      `${describeResponse(step.move)}, but could not be recorded, so its row may end as unknown. ${textFor(error)}`,
    );
  }
  return undefined;
}

/**
 * Records the step or, for a row that has been recorded as lost meanwhile, what replaces that. If the row was retried
 * or removed, only the reported charge is recorded: the result is `late`. Repeating it changes nothing.
 */
async function recordStep(
  rows: RowStore,
  row: StoredRow,
  step: Step,
): Promise<Step | 'late' | undefined> {
  if (await rows.move(row, step.move)) return step;
  // The next submission of a task, under its key, returns what it has cost.
  if (row.data.kind !== 'chat') return undefined;
  const late = lateStep(step);
  if (late && (await rows.move(row, late.move))) return late;
  const chargeUsd = lateChargeOf(step.move);
  if (chargeUsd === undefined) return undefined;
  // If its charge counts already, the move was made, and the connection was lost before the reply to it.
  return (await rows.countLateCharge(row, chargeUsd)) ? 'late' : step;
}

/** Describes what the response to a chat said, without its texts. */
function describeResponse({ state, settlement }: Move): string {
  const { completion, error } = state;
  const cost = describeCost(settlement);
  return completion
    ? `the chat completion ${completion.id} ${cost}`
    : `the chat has failed (${error?.name}) and ${cost}`;
}

function describeCost(settlement: Move['settlement']): string {
  if (settlement?.money === 'charged') return `has cost ${settlement.usd} USD`;
  return settlement?.money === 'none' ? 'was not charged' : 'may have been charged';
}

/** What a row costs in USD, and what it pays for; undefined if its price is not known. */
export interface RowPrice {
  readonly usd: number | undefined;
  readonly units?: PricedUnits | undefined;
}

/** A name of a price class without spaces, of which Redis keeps few. */
const hashOf = (priceClass: string): string =>
  createHash('sha256').update(priceClass).digest('base64url').slice(0, 16);

/** How long known prices are used, in ms. */
const pricingTime = 300_000;

/** The prices of models, which are fetched every few minutes. */
export class RowPrices {
  readonly #gateway: Polygate;
  readonly #known = new Map<string, { pricing: Promise<KnownPrices>; expiresAt: number }>();

  constructor(gateway: Polygate) {
    this.#gateway = gateway;
  }

  /** What a row costs with the most expensive of its models. */
  async of({ kind, ...data }: RowData): Promise<RowPrice> {
    if (kind === 'chat') return { usd: undefined };
    const models = [data.params.model, ...(data.fallback ?? [])];
    const estimate = (prices: KnownPrices) => estimateUsd({ ...data, kind }, prices);
    const listed = await highestPrice(models, async (model) =>
      estimate(await this.#pricingOf(model)),
    );
    if (listed === undefined) return { usd: undefined };
    const units = estimatedUnits([data.path, models], listed, estimate);
    return { usd: listed, units: units && { ...units, priceClass: hashOf(units.priceClass) } };
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
