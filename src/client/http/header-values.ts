/**
 * What joins two headers of one name to one text: a comma with white space, as `fetch` joins them, one at the end, after
 * which the second is empty, or one between two decimals. The comma in `0,02` or `1,234.50` joins nothing.
 */
const joint = /,(?:\s+|$)|,(?<=\.\d+,)(?=\d+\.)/;

/** The different values of a header, in order. A header that arrives twice is one text with a comma. */
export function headerValues(text: string): string[] {
  return text.includes(',')
    ? [...new Set(text.split(joint).map((value) => value.trim()))].filter(Boolean)
    : [text];
}
