import { ConfigurationError } from '../../../errors/base.ts';
import type { RequestOptions } from './request-options.ts';

/** The other models of a call. */
export interface Fallback {
  /** The model of the params, then the others, in the order in which they are tried. */
  readonly models: readonly [string, ...string[]];
  readonly isAllowed: RequestOptions['fallbackOn'];
}

/**
 * The fallback of a call to `model`; undefined if it has none. Later changes to the options have no effect.
 *
 * @throws {@link ConfigurationError} if a model is listed twice.
 */
export function fallbackOf(
  model: string,
  { fallback = [], fallbackOn }: Pick<RequestOptions, 'fallback' | 'fallbackOn'> = {},
): Fallback | undefined {
  if (fallback.length === 0) return undefined;
  const models = [model, ...fallback] as const;
  if (new Set(models).size < models.length) {
    throw new ConfigurationError(
      'fallback: must not contain a model twice, or the model of the params.',
    );
  }
  return { models, isAllowed: fallbackOn };
}
