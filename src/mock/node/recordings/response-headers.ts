import { restoreGateway } from './urls.ts';

/**
 * Headers that the client reads, whatever their vendor prefix. Dates, request ids and remaining slots change each time.
 */
const kept =
  /^(content-type|content-range|etag|last-modified|accept-ranges|location|retry-after)$|-(charge-usd|wallet|balance-(usd|cny)|task-id|idempotent-replay|concurrency-(limit|source)|readiness-(score|status))$/;

const charge = /-charge-usd$/;

/** The headers of a response that a tape keeps. The length of a text may change when it is redacted. */
export function keptHeaders(
  headers: Headers,
  isFile: boolean,
  redact: (value: string) => string,
): Record<string, string> {
  const isSized = isFile && !headers.has('content-encoding');
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => kept.test(name) || (isSized && name === 'content-length'))
      .map(([name, value]) => [name, redact(value)]),
  );
}

/** The headers of a replayed response. */
export function replayedHeaders(
  recorded: Readonly<Record<string, string>>,
  {
    method,
    status,
    charges,
    timing,
    origin,
  }: { method: string; status: number; charges: boolean; timing: boolean; origin: string },
): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(recorded)) {
    if (!charges && charge.test(name)) headers.delete(name);
    else headers.set(name, restoreGateway(value, origin));
  }
  const isJson = /json/.test(recorded['content-type'] ?? '');
  // The next poll is due immediately.
  const isPoll = method === 'GET' && headers.has('retry-after');
  if (!timing && (isPoll || (status < 400 && isJson))) headers.set('retry-after', '0');
  return headers;
}
