import type { ResponseMeta } from '../../types/meta.ts';
import { redactKeys } from '../../types/redact-key.ts';
import { detachHeaders, headersOf } from './direct-response.ts';
import type { HeaderReader } from './direct-response.ts';

/** What is shown instead of an API key. */
export const redactedKey = '(the API key)';

/**
 * Parses the documented response headers. Specification: Endpoints, Limits. `keys` are the API keys that were sent:
 * metadata is printed and logged, and must not show one that the service repeats.
 */
export function parseResponseMeta(
  response: Response,
  { headerPrefix, requestIdHeader }: { headerPrefix: string; requestIdHeader: string },
  keys: readonly string[] = [],
): ResponseMeta {
  const received = headersOf(response);
  const headers: HeaderReader = {
    get(name) {
      const value = received.get(name);
      return value && redactKeys(value, keys, redactedKey);
    },
  };
  const own = new PrefixedHeaders(headers, headerPrefix);
  const readiness = { score: own.number('readiness-score'), status: own.text('readiness-status') };
  // With `keys`, the only variable that the getter below may use: an error or a task that is kept for long has the
  // metadata, and must not keep the response and its body as well.
  const readHeaders = detachHeaders(response);
  return {
    requestId:
      headers.get(requestIdHeader) ??
      headers.get('x-request-id') ??
      headers.get('x-oneapi-request-id') ??
      undefined,
    status: response.status,
    chargeUsd: own.amount('charge-usd'),
    wallet: own.text('wallet'),
    balanceUsd: own.number('balance-usd'),
    balanceCny: own.number('balance-cny'),
    readiness: (readiness.score ?? readiness.status) === undefined ? undefined : readiness,
    // A header that was sent twice is one text with a comma.
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
  let copy: Headers | undefined;
  for (const [name, value] of headers) {
    const shown = redactKeys(value, keys, redactedKey);
    if (shown !== value) (copy ??= new Headers(headers)).set(name, shown);
  }
  return copy ?? headers;
}

/** The headers of the service: those whose names begin with its prefix. */
class PrefixedHeaders {
  readonly #headers: HeaderReader;
  readonly #prefix: string;

  constructor(headers: HeaderReader, prefix: string) {
    this.#headers = headers;
    this.#prefix = prefix;
  }

  text(name: string): string | undefined {
    return this.#headers.get(this.#prefix + name) || undefined;
  }

  number(name: string): number | undefined {
    const value = Number(this.text(name));
    return Number.isFinite(value) ? value : undefined;
  }

  /** An amount or a count, which cannot be negative. */
  amount(name: string): number | undefined {
    const value = this.number(name);
    return value !== undefined && value >= 0 ? value : undefined;
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
