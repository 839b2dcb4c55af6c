import { ConfigurationError } from '../../../errors/configuration.ts';
import { modelProblem, notAnObjectProblem } from '../../../types/param-checks.ts';
import { isRecord } from '../../../types/type-guards.ts';
import type { RequestOptions } from './request-options.ts';

/** Returns the first problem with params, or undefined. */
export type FindProblem = (params: Record<string, unknown>) => string | undefined;

/**
 * Rejects params that break a rule of the specification, before anything is sent. Where the specification has no rule,
 * the caller's value is sent unchanged.
 *
 * @throws {@link ConfigurationError} that names the field and the rule.
 */
export function checkFields(params: unknown, findProblem: FindProblem): void {
  checkProblem(isRecord(params) ? findProblem(params) : notAnObjectProblem);
}

/** Rejects params of a chat or generation, which all require a model. */
export function checkParams(params: unknown, findProblem?: FindProblem): void {
  checkFields(params, (fields) => modelProblem(fields) ?? findProblem?.(fields));
}

/** @throws {@link ConfigurationError} if there is a problem. */
export function checkProblem(problem: string | undefined): void {
  if (problem !== undefined) throw new ConfigurationError(`${problem}.`);
}

/** The params with `extraBody` merged in, so that checks and price estimates see what is sent. */
export function mergeExtraBody<Params extends object>(
  params: Params,
  options: RequestOptions | undefined,
): Params {
  return options?.extraBody && isRecord(params) ? { ...params, ...options.extraBody } : params;
}

/**
 * Serializes params when a method is called, so that later changes to them have no effect.
 *
 * @throws {@link ConfigurationError} if they contain a cycle or a BigInt.
 */
export function toJson(params: object): string {
  try {
    return JSON.stringify(params);
  } catch (cause) {
    throw new ConfigurationError(
      'params: must be serializable as JSON, without cycles and BigInts.',
      { cause },
    );
  }
}
