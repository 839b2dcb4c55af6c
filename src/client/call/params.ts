import { ConfigurationError } from '../../errors/base.ts';
import { modelProblem, notAnObjectProblem, isRecord } from '../../wire/types/type-guards.ts';
import type { FieldProblem } from '../../wire/types/type-guards.ts';
import { optionAmong } from './request-options.ts';
import type { RequestOptions } from './request-options.ts';

/** Returns the first problem with params, or undefined. */
export type FindProblem = (params: Record<string, unknown>) => FieldProblem | undefined;

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
export function checkProblem(problem: FieldProblem | undefined): void {
  if (problem) throw new ConfigurationError(`${problem.join(': ')}.`);
}

/**
 * The params with `extraBody` merged in, so that checks and price estimates see what is sent.
 *
 * @throws {@link ConfigurationError} if an option of the call is among the params.
 */
export function bodyParams<Params extends object>(
  params: Params,
  options: RequestOptions | undefined,
): Params {
  checkNoOptions(params);
  return mergeExtraBody(params, options);
}

/**
 * Rejects params that are named like an option of the call, before anything is sent: the option would have no effect, and
 * without the key, a caller's own retry would pay twice. `others` have more options by name.
 *
 * @throws {@link ConfigurationError} that says where the option belongs.
 */
export function checkNoOptions(params: unknown, ...others: readonly object[]): void {
  const name = isRecord(params) ? optionAmong(params, ...others) : undefined;
  const rule =
    'is an option of the call, not a param. Pass it in the second argument. To send a field of this name, use extraBody';
  if (name !== undefined) checkProblem([name, rule]);
}

/** The params with `extraBody` merged in, unchecked. */
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
