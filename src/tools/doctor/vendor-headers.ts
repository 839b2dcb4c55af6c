import type { ResponseMeta } from 'polygate';

/** The documented headers that start with the vendor prefix. */
const vendorHeader =
  /^(.+-)(charge-usd|wallet|balance-usd|balance-cny|readiness-score|readiness-status|concurrency-(?:limit|remaining|source)|task-id|idempotent-replay)$/;

/** Headers whose names are too specific to appear in an unrelated service. */
const distinctive = /^(charge-usd|balance-usd|readiness-score|concurrency-limit)$/;

/** What responses show about the documented headers. */
export interface VendorHeaders {
  /** Whether the client has read any of them. */
  readonly isRead: boolean;
  /** The prefix with which responses send them; undefined if they send none. */
  readonly prefix: string | undefined;
}

/** Looks for the documented headers in responses. */
export const vendorHeadersOf = (metas: readonly ResponseMeta[]): VendorHeaders => ({
  isRead: isAnyRead(metas),
  prefix: findPrefix(metas),
});

function isAnyRead(metas: readonly ResponseMeta[]): boolean {
  return metas.some(
    ({ chargeUsd, wallet, balanceUsd, readiness, concurrency, taskId }) =>
      (chargeUsd ?? wallet ?? balanceUsd ?? readiness ?? concurrency.limit ?? taskId) !== undefined,
  );
}

function findPrefix(metas: readonly ResponseMeta[]): string | undefined {
  const suffixes = new Map<string, Set<string>>();
  for (const { headers } of metas) {
    headers.forEach((_, name) => {
      const [, prefix, suffix] = vendorHeader.exec(name) ?? [];
      if (prefix === undefined || suffix === undefined) return;
      suffixes.set(prefix, (suffixes.get(prefix) ?? new Set()).add(suffix));
    });
  }
  const [best] = [...suffixes]
    .filter(([, found]) => found.size > 1 || [...found].some((name) => distinctive.test(name)))
    .toSorted(([, one], [, other]) => other.size - one.size);
  return best?.[0];
}
