import type { ResponseMeta } from '../../types/meta.ts';
import { redactKeys } from '../../types/redact-key.ts';
import type { Log } from '../config/log.ts';
import { detachHeaders, headersOf } from './direct-response.ts';
import type { HeaderReader } from './direct-response.ts';
import { headerValues } from './header-values.ts';
import { singleLine } from './json.ts';

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
  const received = headersOf(response);
  const headers: HeaderReader = {
    get(name) {
      const value = received.get(name);
      return value && redactKeys(value, keys, redactedKey);
    },
  };
  const own = new PrefixedHeaders(headers, headerPrefix, warn);
  const readiness = { score: own.number('readiness-score'), status: own.text('readiness-status') };
  // With `keys`, the only variable that the getter below may use: an error or a task that is kept for long has the
  // metadata, and must not keep the response and its body as well.
  const readHeaders = detachHeaders(response);
  return {
    requestId:
      textIn(headers, requestIdHeader) ??
      textIn(headers, 'x-request-id') ??
      textIn(headers, 'x-oneapi-request-id'),
    status: response.status,
    chargeUsd: own.amount('charge-usd'),
    wallet: own.text('wallet'),
    balanceUsd: own.number('balance-usd'),
    balanceCny: own.number('balance-cny'),
    readiness: (readiness.score ?? readiness.status) === undefined ? undefined : readiness,
    // Two different ids are a text with a comma.
    taskId: own.text('task-id')?.split(',', 1)[0]?.trim() || undefined,
    idempotentReplay: /^true\b/i.test(own.text('idempotent-replay') ?? ''),
    concurrency: {
      limit: own.amount('concurrency-limit'),
      remaining: own.amount('concurrency-remaining'),
      source: own.text('concurrency-source'),
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

/** The text of a header. If it arrived twice with one value, it is that value. */
function textIn(headers: HeaderReader, name: string): string | undefined {
  const text = headers.get(name) ?? undefined;
  if (text === undefined) return undefined;
  const [first, ...others] = headerValues(text);
  return others.length === 0 ? first : text;
}

/** The headers of the service: those whose names begin with its prefix. */
class PrefixedHeaders {
  readonly #headers: HeaderReader;
  readonly #prefix: string;
  readonly #warn: Log['warn'] | undefined;

  constructor(headers: HeaderReader, prefix: string, warn: Log['warn'] | undefined) {
    this.#headers = headers;
    this.#prefix = prefix;
    this.#warn = warn;
  }

  text(name: string): string | undefined {
    return textIn(this.#headers, this.#prefix + name) || undefined;
  }

  /** The largest value that is at least `min`. */
  number(name: string, min = -Infinity): number | undefined {
    const header = this.#prefix + name;
    const text = this.#headers.get(header);
    if (!text) return undefined;
    const values = headerValues(text).map(Number);
    const largest = Math.max(...values.filter((value) => Number.isFinite(value) && value >= min));
    if (largest === -Infinity) return undefined;
    if (new Set(values).size > 1) {
      this.#warn?.(
        () =>
          `${header} arrived with different values (${singleLine(text, 40)}); ${largest}, the largest, counts`,
      );
    }
    return largest;
  }

  /** An amount or a count, which cannot be negative. */
  amount(name: string): number | undefined {
    return this.number(name, 0);
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
