import type { ResponseMeta } from '../../schemas/meta.ts';

/** Parses the documented response headers. Specification: Endpoints, Limits. */
export function parseResponseMeta(
  response: Response,
  { headerPrefix, requestIdHeader }: { headerPrefix: string; requestIdHeader: string },
): ResponseMeta {
  const { headers, status } = response;
  const text = (name: string) => headers.get(headerPrefix + name) || undefined;
  const number = (name: string) => {
    const value = Number(text(name));
    return Number.isFinite(value) ? value : undefined;
  };
  const readiness = { score: number('readiness-score'), status: text('readiness-status') };
  return {
    requestId:
      headers.get(requestIdHeader) ??
      headers.get('x-request-id') ??
      headers.get('x-oneapi-request-id') ??
      undefined,
    status,
    chargeUsd: number('charge-usd'),
    wallet: text('wallet'),
    balanceUsd: number('balance-usd'),
    balanceCny: number('balance-cny'),
    readiness: (readiness.score ?? readiness.status) === undefined ? undefined : readiness,
    taskId: text('task-id'),
    idempotentReplay: text('idempotent-replay')?.toLowerCase() === 'true',
    concurrency: {
      limit: number('concurrency-limit'),
      remaining: number('concurrency-remaining'),
      source: text('concurrency-source'),
    },
    headers,
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
