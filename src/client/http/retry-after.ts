import type { HeaderReader } from './direct-response.ts';
import { headerValues } from './header-values.ts';

/** An HTTP date: a weekday, a date and a time, then `GMT` or, in one format, the year. */
const httpDate = /^[a-z]{3,9},? .{12,20}:\d\d \w{3,4}$/i;

/**
 * Parses a `Retry-After` header to ms: whole or decimal seconds, or one of the three HTTP date formats. The response's
 * `Date` header corrects a skewed local clock. Past dates and invalid values count as absent. Of seconds that arrived
 * twice, the largest number counts.
 */
export function parseRetryAfter(headers: HeaderReader, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const values = headerValues(text);
  if (values.every((value) => /^\d+(\.\d+)?$/.test(value))) {
    return Math.max(...values.map(Number)) * 1_000;
  }
  const delay = parseHttpDate(text) - (parseHttpDate(headers.get('date') ?? '') || now);
  return delay > 0 ? delay : undefined;
}

/** The time in ms; NaN if the text is not a date. */
function parseHttpDate(text: string): number {
  // Without a time zone, a date would be read as local time.
  return Date.parse(httpDate.test(text) ? text.replace(/\d$/, '$& GMT') : '');
}
