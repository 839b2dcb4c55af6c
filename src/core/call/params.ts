import { ConfigurationError } from '../../errors/configuration.ts';
import { modelProblem, notAnObjectProblem } from '../../schemas/param-checks.ts';
import { isRecord } from '../../schemas/type-guards.ts';

/**
 * Rejects params that break a rule of the specification, before anything is sent. Where the specification has no rule,
 * the caller's value is sent unchanged.
 *
 * @throws {@link ConfigurationError} that names the field and the rule.
 */
export function checkParams(
  params: unknown,
  findProblem: (params: Record<string, unknown>) => string | undefined = () => undefined,
): void {
  checkProblem(
    isRecord(params) ? (modelProblem(params) ?? findProblem(params)) : notAnObjectProblem,
  );
}

/** @throws {@link ConfigurationError} if there is a problem. */
export function checkProblem(problem: string | undefined): void {
  if (problem !== undefined) throw new ConfigurationError(`${problem}.`);
}
