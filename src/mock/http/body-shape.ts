import { isRecord } from '../../schemas/record.ts';

/** How deep the values of a body may be nested, levels. */
const deepest = 100;

/** How many values a field of a body may hold. */
const mostValues = 100_000;

/**
 * What is wrong with the shape of a body, whatever it says; undefined when nothing is. JSON can be
 * nested deeper than a program's stack, and a small body can hold millions of values.
 */
export function shapeProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const problem = problemOf(value);
    if (problem !== undefined) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

function problemOf(value: unknown): string | undefined {
  let level = [value];
  let values = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return `is nested deeper than ${deepest} levels`;
    if (values > mostValues) return `holds more than ${mostValues} values`;
    level = level.flatMap(inside);
    values += level.length;
  }
  return undefined;
}

function inside(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
