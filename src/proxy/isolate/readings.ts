/**
 * What a service could read in a text: the ids that it may name. A service may trim or decode a text, and a text may quote
 * an id. What is here must be linear: texts can have megabytes.
 */

/** Longer texts are compared only as they are. */
const maxReadLength = 4_096;

/** How many ways of reading a text are compared. Only a text that was encoded again and again has more. */
const maxReadings = 32;

/** A longer part of a text is no id. */
const maxPartLength = 512;

/** In a text of this length, several words in a row may be an id. */
const maxPhraseText = 500;
const maxPhraseWords = 6;

/** Decodes what is percent-encoded, and keeps what is not. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** UTF-8 has no half of a surrogate pair: services read another character. */
export const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd');

const steps: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  percentDecoded,
  (text) => text.replaceAll('+', ' '),
  (text) => text.split('\0', 1)[0] ?? '',
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFKC'),
  wellFormed,
];

/** The ways to read a whole text. The first one is the text itself. Returns undefined if there are too many. */
export function readingsOf(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (text.length > maxReadLength) return trimmed === text ? [text] : [text, trimmed];
  if (/^[\w.:-]*$/.test(text)) return [text];
  const found = new Set([text]);
  for (const reading of found) {
    if (found.size > maxReadings) return undefined;
    for (const step of steps) found.add(step(reading));
  }
  return [...found];
}

/** The parts of a text that may be ids: neither plain words nor data in base64. */
export function* partsOf(text: string): Generator<string> {
  if (/^(?:data:[^,]*;base64,)?[\w+/=-]{513,}$/.test(text)) return;
  for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}_.:@~+=%-]+/gu)) yield* partsOfRun(run);
  for (const [quoted] of text.matchAll(
    /["'<>()[\]{}|`]([^"'<>()[\]{}|`]{3,128})(?=["'<>()[\]{}|`])/g,
  )) {
    yield* asPart(quoted.slice(1));
  }
  if (text.length <= maxReadLength) {
    for (const segment of text.split(/[/?#&;=,\n]/)) yield* asPart(segment.trim());
  }
  if (text.length <= maxPhraseText) yield* phrasesOf(text);
}

/** The parts of a text without spaces. */
function* partsOfRun(run: string): Generator<string> {
  if (run.length < 4) return;
  yield* asPart(withoutEnd(run.replace(/^[.:@~+=%-]+/, ''), /[.:@~+=%-]/));
  const delimiters = [...run.matchAll(/[.:@~+=%-]+/g)];
  if (delimiters.length > 8) {
    for (const part of run.split(/[.:@~+=%-]+/)) yield* asPart(part);
    return;
  }
  const starts = [0, ...delimiters.map(({ 0: text, index }) => index + text.length)];
  const ends = [...delimiters.map(({ index }) => index), run.length];
  for (const [from, start] of starts.entries()) {
    for (const end of ends.slice(from)) yield* asPart(run.slice(start, end));
  }
}

/** Words in a row, with and without the punctuation around them. */
function* phrasesOf(text: string): Generator<string> {
  const words = [...text.matchAll(/\S+/g)];
  const starts = words.map(({ index }) => index);
  const ends = words.map(({ 0: word, index }) => index + word.length);
  for (const [from, start] of starts.entries()) {
    for (const end of ends.slice(from, from + maxPhraseWords)) {
      const phrase = text.slice(start, end);
      const tail = phrase.replace(/^[\p{P}\p{S}]+/u, '');
      for (const part of [phrase, tail]) {
        yield* asPart(part);
        yield* asPart(withoutEnd(part, /[\p{P}\p{S}]/u));
      }
    }
  }
}

/** Removes characters from the end. A pattern for the end would be tried at each character. */
function withoutEnd(text: string, pattern: RegExp): string {
  let end = text.length;
  while (pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A part of a text, unless it is too long, or a word or a number that any text may contain. */
function* asPart(part: string): Generator<string> {
  if (part.length < 3 || part.length > maxPartLength) return;
  const isWord = /^[\p{L}\p{M}]+$/u.test(part) || /^[\p{P}\p{S}\d]{1,7}$/u.test(part);
  if (!isWord) yield part;
}
