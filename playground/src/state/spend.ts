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
