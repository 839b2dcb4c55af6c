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
  return unknown === undefined ? undefined : unknownOption(unknown, known, prefix);
}

/** The error message for an unknown option. */
export function unknownOption(name: string, known: readonly string[], prefix = ''): string {
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
  return `${prefix}${name}: unknown option.${advice}`;
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** The number of letters that only one of two words has. Ignores their order, so that swapped letters are equal. */
function differentLetters(word: string, known: string): number {
  let extra = word;
  for (const letter of known) extra = extra.replace(letter, '');
  // The known word lacks the extra letters and has all others.
  return 2 * extra.length + known.length - word.length;
}
