/**
 * What a service could read in a text: the ids that it may name. A service may trim or decode a text, and a text may quote
 * an id. What is here must be linear: texts can have megabytes.
 */

/** Longer texts are compared only as they are. */
const maxReadLength = 2_048;

/** How many ways of reading a text are compared. Only a text that was encoded again and again has more. */
const maxReadings = 64;

/** A longer part of a text is no id. */
const maxPartLength = 512;

/** A number in the path or query of a URL, where it is an id. */
const numberInURL = /(?:\/v1\/[a-z_/]{1,64}\/|(?:task|voice|material)s?\/|ids?=)(\d{1,7})(?!\d)/gi;

/** A value in markup, such as SSML, or in JSON. Even a plain word may be an id there, but not a short number. */
const attributeValue = /(?:=|["']:)\s{0,8}["']((?=[^"'<>]{0,7}[^"'<>\d.%])[^"'<>]{1,128})["']/g;

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

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** Decodes what is escaped in markup, such as SSML for a voice. */
export function entityDecoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (escaped, decimal?: string, hexadecimal?: string, name = '') => {
      const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
      return entities[String(name).toLowerCase()] ?? escaped;
    },
  );
}

/** An integer with more digits than any number of JavaScript holds, and few enough to be an id. */
const largeInteger = /^-?\d{16,40}$/;

/**
 * An id as services may write it in several ways. A UUID is in its usual form: they also accept upper case, braces, and no
 * hyphens. Large integers that are rounded to the same number are equal. Other ids remain as they are.
 */
export function canonical(id: string): string {
  const number = largeInteger.test(id) ? Number(id) : 0;
  if (!Number.isSafeInteger(number)) return `rounded:${number}`;
  const [, ...parts] =
    /^\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?$/i.exec(id) ?? [];
  return parts.length === 0 ? id : parts.join('-').toLowerCase();
}

/** UTF-8 has no half of a surrogate pair: services read another character. */
export const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd');

const steps: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  percentDecoded,
  entityDecoded,
  (text) => text.replaceAll('+', ' '),
  (text) => text.split('\0', 1)[0] ?? '',
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFKC'),
  // Such as a zero-width space.
  (text) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
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
export function* partsOf(whole: string): Generator<string> {
  const text = withoutData(whole);
  for (const [, number = ''] of text.matchAll(numberInURL)) yield number;
  for (const run of text.split(/[^\p{L}\p{M}\p{N}_.:@~+=%-]/u)) {
    yield* partsOfRun(run, /[.:@~+=%-]+/g);
  }
  // An id can contain what separates the parts of a URL or a list.
  for (const run of text.split(/[\s"'`<>[\]{}|\\]/)) {
    if (/[/#&?;,()]/.test(run)) yield* partsOfRun(run, /[:=/#&?;,()]+/g);
  }
  for (const [quoted] of text.matchAll(
    /["'<>()[\]{}|`]([^"'<>()[\]{}|`]{3,128})(?=["'<>()[\]{}|`])/g,
  )) {
    yield* asPart(quoted.slice(1));
  }
  for (const [, value = ''] of text.matchAll(attributeValue)) yield value;
  if (text.length <= maxReadLength) {
    for (const segment of text.split(/[/?#&;=,\n]/)) yield* asPart(segment.trim());
  }
}

/**
 * Removes data in base64, which names nothing: in URLs, or as a whole text in one of its two alphabets. A pattern that
 * repeats a character exhausts the stack of V8 after some megabytes, so these search for a character that ends the data.
 */
function withoutData(text: string): string {
  if (text.length <= maxPartLength) return text;
  const unpadded = text.replace(/={1,2}$/, '');
  if (!/[^A-Za-z\d+/]/.test(unpadded) || !/[^\w-]/.test(unpadded)) return '';
  const [before = '', ...others] = text.split(';base64,');
  const after = others.map((other) => {
    const end = other.search(/[^\w+/=-]/);
    const length = end < 0 ? other.length : end;
    return length > maxPartLength ? other.slice(length) : other;
  });
  return [before, ...after].join(' ');
}

/** The parts of a text without spaces: what is between any two of its delimiters, or between near ones if it has many. */
function* partsOfRun(run: string, delimiter: RegExp): Generator<string> {
  if (run.length < 4) return;
  yield* asPart(withoutEnd(run.replace(/^[.:@~+=%-]+/, ''), /[.:@~+=%-]/));
  const delimiters = [...run.matchAll(delimiter)];
  const reach = delimiters.length > 8 ? 3 : 9;
  const starts = [0, ...delimiters.map(({ 0: text, index }) => index + text.length)];
  const ends = [...delimiters.map(({ index }) => index), run.length];
  for (const [from, start] of starts.entries()) {
    for (const end of ends.slice(from, from + reach)) {
      yield* asPart(run.slice(start, end));
      if (run[end] === ')') yield* asPart(run.slice(start, end + 1));
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
