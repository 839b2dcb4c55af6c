import { computed } from '@preact/signals';

import { charges } from './client.ts';
import { lab } from './lab.ts';

interface ModelSpend {
  usd: number;
  requests: number;
}

/** What the client of this page counted since the page was loaded, or since the wallet was reset. */
export const spend = computed(() => {
  const start = lab.value?.wallet?.resetAt ?? 0;
  const byModel = new Map<string, ModelSpend>();
  let totalUsd = 0;
  for (const { at, model = '', usd } of charges.value) {
    // A replay of a charge that was already counted costs nothing.
    if (at < start || usd === 0) continue;
    const before = byModel.get(model) ?? { usd: 0, requests: 0 };
    byModel.set(model, { usd: before.usd + usd, requests: before.requests + 1 });
    totalUsd += usd;
  }
  return { totalUsd, byModel };
});

const loadedAt = Date.now();

/** Why the client counted less than the gateway charged; undefined if it did not. */
export const differenceReason = computed(() => {
  const lines = lab.value?.invoice ?? [];
  const sum = (all: typeof lines) => all.reduce((total, { usd }) => total + usd, 0);
  const earlierUsd = sum(lines.filter(({ at }) => at < loadedAt));
  const missingUsd = sum(lines) - earlierUsd - spend.value.totalUsd;
  const isMore = (usd: number) => usd > 5e-7;
  if (isMore(earlierUsd) && isMore(missingUsd)) {
    return 'The other charges are from before that, or of lost responses or the AI SDK.';
  }
  if (isMore(earlierUsd)) return 'The other charges are from before that.';
  if (isMore(missingUsd)) return 'The other charges are of lost responses or the AI SDK.';
  return undefined;
});
