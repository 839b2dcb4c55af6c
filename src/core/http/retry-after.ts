const weekday = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * Parses a `Retry-After` header to ms: whole or decimal seconds, or one of the three HTTP date formats. The response's
 * `Date` header corrects a skewed local clock. Past dates and invalid values count as absent.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const delay = parseHttpDate(text) - (parseHttpDate(headers.get('date') ?? '') || now);
  return delay > 0 ? delay : undefined;
}

/** The time in ms; NaN if the text is not a date. */
function parseHttpDate(text: string): number {
  if (!weekday.test(text) || text.length > 40) return Number.NaN;
  return Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
}
