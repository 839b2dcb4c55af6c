import { ConfigurationError } from '../../errors/configuration.ts';
import { modelProblem, notAnObjectProblem } from '../../schemas/param-checks.ts';
import { isRecord } from '../../schemas/record.ts';

/**
 * Refuses what the specification refuses, with the field's name and the rule, before the network. Where it states no
 * rule, the caller's value is sent as it is.
 */
export function checkParams(
  params: unknown,
  problemOf: (params: Record<string, unknown>) => string | undefined = () => undefined,
): void {
  checkProblem(isRecord(params) ? (modelProblem(params) ?? problemOf(params)) : notAnObjectProblem);
}

/** Refuses where there is a problem. */
export function checkProblem(problem: string | undefined): void {
  if (problem !== undefined) throw new ConfigurationError(`${problem}.`);
}
