import * as z from 'zod/mini';

import { unchecked } from '../types/schema.ts';
import { isRecord } from '../types/type-guards.ts';

/** The id of a model. Which ids there are depends on the API key. */
export const modelId: z.ZodMiniType<string, string> = z.string().check(z.minLength(1));

/** A number of things. */
export const count = z.int().check(z.gte(1));

/**
 * Adds a rule that concerns several fields. `problemOf` returns a problem such as `prompt: is required`, and is one of
 * the functions with which the client checks params.
 *
 * The result is the type of the params, a union if one of several fields is required. Its schema is one object, because
 * tools and forms need one.
 */
/* @__NO_SIDE_EFFECTS__ */
export function withProblem<T>(
  schema: z.ZodMiniType,
  problemOf: (params: Record<string, unknown>) => string | undefined,
): z.ZodMiniType<T, T> {
  return unchecked(
    schema.check(({ value, issues }) => {
      const message = isRecord(value) ? problemOf(value) : undefined;
      if (message === undefined) return;
      issues.push({ code: 'custom', message, path: pathOf(message), input: value });
    }),
  );
}

/** The path of the field that a problem starts with, such as `content[0].text`. */
function pathOf(problem: string): PropertyKey[] {
  const [field = ''] = problem.split(':');
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
