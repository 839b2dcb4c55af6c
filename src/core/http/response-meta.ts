import type { ResponseMeta } from '../../types/meta.ts';
import { headersOf } from './direct-response.ts';

/** Parses the documented response headers. Specification: Endpoints, Limits. */
export function parseResponseMeta(
  response: Response,
  { headerPrefix, requestIdHeader }: { headerPrefix: string; requestIdHeader: string },
): ResponseMeta {
  const headers = headersOf(response);
  const text = (name: string) => headers.get(headerPrefix + name) || undefined;
  const number = (name: string) => {
    const value = Number(text(name));
    return Number.isFinite(value) ? value : undefined;
  };
  /** An amount or a count, which cannot be negative. */
  const amount = (name: string) => {
    const value = number(name);
    return value !== undefined && value >= 0 ? value : undefined;
  };
  const readiness = { score: number('readiness-score'), status: text('readiness-status') };
  return {
    requestId:
      headers.get(requestIdHeader) ??
      headers.get('x-request-id') ??
      headers.get('x-oneapi-request-id') ??
      undefined,
    status: response.status,
    chargeUsd: amount('charge-usd'),
    wallet: text('wallet'),
    balanceUsd: number('balance-usd'),
    balanceCny: number('balance-cny'),
    readiness: (readiness.score ?? readiness.status) === undefined ? undefined : readiness,
    // A header that was sent twice is one text with a comma.
    taskId: text('task-id')?.split(',', 1)[0]?.trim() || undefined,
    idempotentReplay: /^true\b/i.test(text('idempotent-replay') ?? ''),
    concurrency: {
      limit: amount('concurrency-limit'),
      remaining: amount('concurrency-remaining'),
      source: text('concurrency-source'),
    },
    // Most callers read only the fields above.
    get headers() {
      return response.headers;
    },
  };
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
