import type { ChatParams, Model, Polygate } from 'polygate';

import { cheapestModels, maxOutputTokens } from '../prices.ts';
import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Skip } from '../run/report.ts';
import type { Skipped } from './pay.ts';

/** The chat that the diagnosis sends. */
export function chatParams(model: string): Omit<ChatParams, 'stream'> {
  return {
    model,
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    max_tokens: maxOutputTokens,
  };
}

/** A client for paid requests of a type, which may spend the rest of the limit. */
export const payingClient = (
  { client, spending }: DiagnosisContext,
  type: 'chat' | 'image',
): Polygate => client.withOptions(spending.optionsFor(type));

/** The models that a check tries, cheapest first. */
export interface Candidates {
  readonly kind: 'candidates';
  readonly models: readonly PricedModel[];
}

/** How many models of a type are tried. */
const maxModels = 3;

/** The models of a type that are tried, cheapest first; or why the check is skipped. */
export function choose(
  { spending }: DiagnosisContext,
  models: readonly Model[] | undefined,
  type: 'chat' | 'image',
): Candidates | Skipped {
  const skipped = (reason: Skip): Skipped => ({ kind: 'skipped', reason });
  if (models === undefined) return skipped({ detail: 'The model list could not be read.' });
  const candidates = cheapestModels(models, type).slice(0, maxModels);
  const [cheapest] = candidates;
  if (cheapest !== undefined) {
    const problem = spending.problem(cheapest.priceUsd);
    return problem ? skipped(problem) : { kind: 'candidates', models: candidates };
  }
  const others = models.some((model) => model.type === type);
  return skipped({
    detail: `The service lists ${others ? 'no price for its' : 'no'} ${type} models.`,
  });
}
