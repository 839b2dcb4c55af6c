const weekday = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * How long the service asks to wait, ms: seconds, decimals, or one of the three HTTP date forms. The answer's own
 * `Date` corrects a wrong local clock. Dates in the past and anything else count as absent.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const at = parseHttpDate(text);
  if (at === undefined) return undefined;
  const wait = at - (parseHttpDate(headers.get('date') ?? '') ?? now);
  return wait > 0 ? wait : undefined;
}

function parseHttpDate(text: string): number | undefined {
  if (!weekday.test(text) || text.length > 40) return undefined;
  const at = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
