import type { Spend } from 'polygate';

/** A client that counts what it spends: `Polygate` or `ChatClient`. */
export interface SpendGateway {
  /** Amounts spent so far. */
  readonly spend: Spend;
  /** Calls `listener` after each charge. */
  onSpend(listener: (spend: Spend) => void): () => void;
}

/** Nothing was spent, as on a server, whose clients can be shared by all users. */
export const nothingSpent: Spend = { totalUsd: 0, requests: 0, byModel: new Map() };

const snapshots = new WeakMap<SpendGateway, Spend>();

/** What a client has spent: an object that is never modified, and replaced only after a charge. */
export function spendOf(gateway: SpendGateway): Spend {
  const { totalUsd, requests, byModel } = gateway.spend;
  const before = snapshots.get(gateway) ?? nothingSpent;
  if (before.requests === requests && before.totalUsd === totalUsd) return before;
  const snapshot: Spend = { totalUsd, requests, byModel: new Map(byModel) };
  snapshots.set(gateway, snapshot);
  return snapshot;
}
