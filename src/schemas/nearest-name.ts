/**
 * Returns the known name that an unknown one was probably meant to be, for error messages. Ignores case, underscores
 * and hyphens, so `idempotency_key` finds `idempotencyKey`; otherwise allows one typo per three letters, up to three.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  for (let edits = 0; edits < 4; edits += 1) {
    const nearest = known.find(
      (candidate) =>
        candidate.length >= 3 * edits && isWithin(edits, letters, lettersOf(candidate)),
    );
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

/** Checks the names of an object's fields. Returns the problem with the first unknown one, or undefined. */
export function unknownNameProblem(
  value: object,
  known: readonly string[],
  prefix = '',
): string | undefined {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : unknownOption(unknown, known, prefix);
}

/** The error message for an unknown option. */
export function unknownOption(name: string, known: readonly string[], prefix = ''): string {
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
  return `${prefix}${name}: unknown option.${advice}`;
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** Whether at most `edits` letters have to be inserted, deleted, replaced or swapped with the next to turn `a` into `b`. */
function isWithin(edits: number, a: string, b: string): boolean {
  if (a === b || edits === 0) return a === b;
  let start = 0;
  while (a[start] === b[start]) start += 1;
  const afterEdit = (skippedA: number, skippedB: number) =>
    isWithin(edits - 1, a.slice(start + skippedA), b.slice(start + skippedB));
  return (
    afterEdit(1, 1) ||
    afterEdit(1, 0) ||
    afterEdit(0, 1) ||
    (a[start] === b[start + 1] && a[start + 1] === b[start] && afterEdit(2, 2))
  );
}
