import type { ChatParams, Model, Polygate } from 'polygate';

import { cheapestModels, maxOutputTokens } from '../prices.ts';
import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Skip } from '../run/report.ts';

/** The chat that the diagnosis sends. */
export function chatParams(model: string): Omit<ChatParams, 'stream'> {
  return {
    model,
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    max_tokens: maxOutputTokens,
  };
}

/** A client for paid requests, which may spend the rest of the limit. For `strict`, see `Spending.options`. */
export function payingClient(
  { client, spending }: DiagnosisContext,
  { strict }: { readonly strict: boolean },
): Polygate {
  return client.withOptions(spending.options(strict));
}

/** Why a check sends no paid request. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly reason: Skip;
}

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
