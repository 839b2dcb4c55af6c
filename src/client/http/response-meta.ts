import type { ResponseMeta } from '../../wire/types/meta.ts';
import { redactKeys } from '../../wire/types/redact-key.ts';
import type { Log } from '../config/log.ts';
import { singleLine } from './json.ts';
import { detachHeaders, headersOf } from './response-body.ts';
import type { HeaderReader } from './response-body.ts';

/** What is shown instead of an API key. */
export const redactedKey = '(the API key)';

/**
 * Parses the documented response headers. Specification: Endpoints, Limits. `keys` are the API keys that were sent:
 * metadata is printed and logged, and must not show one that the service repeats. `warn` receives a warning about
 * a number that arrived twice with different values, of which the largest counts.
 */
export function parseResponseMeta(
  response: Response,
  { headerPrefix, requestIdHeader }: { headerPrefix: string; requestIdHeader: string },
  keys: readonly string[] = [],
  warn?: Log['warn'],
): ResponseMeta {
  const fields = new MetaFields(headersOf(response), keys, warn);
  const own = (name: string) => headerPrefix + name;
  const score = fields.number(own('readiness-score'));
  const status = fields.text(own('readiness-status'));
  // With `keys`, the only variable that the getter below may use: an error or a task that is kept for long has the
  // metadata, and must not keep the response and its body as well.
  const readHeaders = detachHeaders(response);
  return {
    requestId:
      fields.text(requestIdHeader) ??
      fields.text('x-request-id') ??
      fields.text('x-oneapi-request-id'),
    status: response.status,
    chargeUsd: fields.number(own('charge-usd'), 0),
    wallet: fields.text(own('wallet')),
    balanceUsd: fields.number(own('balance-usd')),
    balanceCny: fields.number(own('balance-cny')),
    readiness: (score ?? status) === undefined ? undefined : { score, status },
    // Two different ids are a text with a comma.
    taskId: fields.text(own('task-id'))?.split(',', 1)[0]?.trim() || undefined,
    idempotentReplay: /^true\b/i.test(fields.text(own('idempotent-replay')) ?? ''),
    concurrency: {
      limit: fields.number(own('concurrency-limit'), 0),
      remaining: fields.number(own('concurrency-remaining'), 0),
      source: fields.text(own('concurrency-source')),
    },
    // Most callers read only the fields above.
    get headers() {
      return withoutKeys(readHeaders(), keys);
    },
  };
}

/** The headers, or a copy of them without API keys if they contain any. */
function withoutKeys(headers: Headers, keys: readonly string[]): Headers {
  // The headers of a simulated response may lack an iterator.
  if (keys.length === 0 || !(Symbol.iterator in headers)) return headers;
  let hasKey = false;
  const shown = Array.from(headers, ([name, value]): [string, string] => {
    const text = redactKeys(value, keys, redactedKey);
    hasKey ||= text !== value;
    return [name, text];
  });
  return hasKey ? new Headers(shown) : headers;
}

/** Reads what metadata consists of. */
class MetaFields {
  readonly #headers: HeaderReader;
  readonly #keys: readonly string[];
  readonly #warn: Log['warn'] | undefined;

  constructor(headers: HeaderReader, keys: readonly string[], warn: Log['warn'] | undefined) {
    this.#headers = headers;
    this.#keys = keys;
    this.#warn = warn;
  }

  /** The text of a header. If it arrived twice with one value, it is that value. */
  text(name: string): string | undefined {
    const text = this.#headers.get(name);
    if (!text) return undefined;
    const { length, 0: value = text } = headerValues(text);
    return redactKeys(length === 1 ? value : text, this.#keys, redactedKey);
  }

  /** The largest number in a header that is at least `min`: no amount and no count is negative. */
  number(name: string, min = -Infinity): number | undefined {
    const text = this.#headers.get(name);
    if (!text) return undefined;
    const value = Number(text);
    // A header that arrived twice is no number.
    if (Number.isNaN(value)) return this.#largest(name, text, min);
    return value >= min && Number.isFinite(value) ? value : undefined;
  }

  #largest(name: string, text: string, min: number): number | undefined {
    const values = headerValues(text).map(Number);
    const largest = Math.max(...values.filter((value) => Number.isFinite(value) && value >= min));
    if (largest === -Infinity) return undefined;
    if (new Set(values).size > 1) {
      const shown = singleLine(redactKeys(text, this.#keys, redactedKey), 40);
      this.#warn?.(
        () => `${name} arrived with different values (${shown}); ${largest}, the largest, counts`,
      );
    }
    return largest;
  }
}

/** Metadata for a response that is missing, or whose headers are not available. */
export function emptyMeta(status = 200, requestId?: string): ResponseMeta {
  return {
    status,
    requestId,
    idempotentReplay: false,
    concurrency: {},
    // Created on each read, because not every runtime has a global `Headers`.
    get headers() {
      return new Headers();
    },
  };
}

/**
 * What joins two headers of one name to one text: a comma with white space, as `fetch` joins them, one at the end, after
 * which the second is empty, or one between two decimals. The comma in `0,02` or `1,234.50` joins nothing.
 */
const joint = /,(?:\s+|$)|,(?<=\.\d+,)(?=\d+\.)/;

/** The different values of a header, in order. A header that arrives twice is one text with a comma. */
function headerValues(text: string): string[] {
  return text.includes(',')
    ? [...new Set(text.split(joint).map((value) => value.trim()))].filter(Boolean)
    : [text];
}

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
