/**
 * Returns the known name that an unknown one was probably meant to be, for error messages. Ignores case, underscores
 * and hyphens, so `idempotency_key` finds `idempotencyKey`; otherwise two letters in five may differ, up to four.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  let nearest: string | undefined;
  let fewest = 5;
  for (const candidate of known) {
    const different = differentLetters(letters, lettersOf(candidate));
    if (different < fewest && 5 * different <= 2 * candidate.length) {
      nearest = candidate;
      fewest = different;
    }
  }
  return nearest;
}

/** Checks the names of an object's fields. Returns the problem with the first unknown one, or undefined. */
export function unknownNameProblem(
  value: object,
  known: readonly string[],
  prefix = '',
): string | undefined {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const nearest = nearestName(unknown, known);
  return unknownOption(prefix + unknown, nearest && prefix + nearest);
}

/** The error message for an unknown option. */
export function unknownOption(name: string, nearest: string | undefined): string {
  return `${name}: unknown option.${nearest ? ` Did you mean ${nearest}?` : ''}`;
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** The number of letters that only one of two words has. Ignores their order, so that swapped letters are equal. */
function differentLetters(word: string, known: string): number {
  let extra = word;
  for (const letter of known) extra = extra.replace(letter, '');
  // The known word lacks the extra letters and has all others.
  return 2 * extra.length + known.length - word.length;
}
