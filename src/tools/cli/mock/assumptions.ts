import * as z from 'zod/mini';

import type { MockAssumptions } from '../../../mock/index.ts';
import { nearestName } from '../../../wire/types/nearest-name.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { shown, suggestion, unknownName, UsageError } from '../arguments.ts';

/** The values of each assumption, as text on the command line. */
const assumptionsSchema = z.object({
  A1: z.exactOptional(z.enum(['any', 'videos', 'video/generations', 'videos/generations'])),
  A2: z.exactOptional(z.enum(['any', 'images/tasks', 'images/generations'])),
  A3: z.exactOptional(z.enum(['audio', 'openai'])),
  A4: z.exactOptional(z.enum(['completed', 'succeeded', 'raw'])),
  A5: z.exactOptional(z.enum(['result', 'output'])),
  A6: z.exactOptional(z.enum(['flat', 'data', 'task'])),
  A7: z.exactOptional(z.enum(['task', 'finished'])),
  A9: z.exactOptional(z.enum(['envelope', 'string', 'flat', 'detail', 'success', 'html'])),
  A10: z.exactOptional(z.string().check(z.regex(/^[\w-]+$/, 'must be the name of a header'))),
  A11: z.exactOptional(z.enum(['charge', 'replay'])),
  A12: z.exactOptional(z.enum(['charge', 'replay'])),
  A13: z.exactOptional(z.enum(['replay', 'conflict'])),
  A14: z.exactOptional(z.enum(['request', 'task'])),
  A15: z.exactOptional(z.enum(['refund', 'keep'])),
  A20: z.exactOptional(z.enum(['off', 'on'])),
  A21: z.exactOptional(z.enum(['null', 'absent'])),
  A22: z.exactOptional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,6}$/, 'must be a number of minutes')),
      z.transform(Number),
    ),
  ),
}) satisfies z.ZodMiniType<Partial<MockAssumptions>>;

const ids = Object.keys(assumptionsSchema.shape);

/** Parses texts such as `A2=images/generations`. Throws a `UsageError` if one is invalid. */
export function parseAssumptions(texts: readonly string[]): Partial<MockAssumptions> {
  const given: Record<string, string> = {};
  for (const text of texts) {
    const [, id = text, value] = /^(.*?)=(.*)$/s.exec(text) ?? [];
    if (value === undefined) {
      throw new UsageError(
        `--assume must be <id>=<value> such as A2=images/generations, not ${text}`,
      );
    }
    if (/^A([1-9]|1\d|2[0-2])$/.test(id) && !ids.includes(id)) {
      throw new UsageError(`--assume: ${id} has no switch; those with one: ${ids.join(', ')}`);
    }
    if (!ids.includes(id)) throw new UsageError(`--assume: ${unknownName('assumption', id, ids)}`);
    given[id] = value;
  }
  const result = assumptionsSchema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const id = String(issue?.path[0]);
  throw new UsageError(`--assume: ${id} ${ruleOf(issue, given[id] ?? '')}`);
}

function ruleOf(issue: z.core.$ZodIssue | undefined, value: string): string {
  if (!isRecord(issue) || !Array.isArray(issue.values))
    return `${issue?.message}, not ${shown(value)}`;
  const known = issue.values.map(String);
  return `must be ${known.join(' or ')}, not ${shown(value)}${suggestion(nearestName(value, known))}`;
}
