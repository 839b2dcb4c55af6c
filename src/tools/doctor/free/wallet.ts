import type { Account } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';
import { usd } from '../text.ts';

/** What the wallet holds, and how many requests may run at once. */
export const wallet = (account: Account | undefined): Check => ({
  id: 'wallet',
  title: 'Wallet',
  requires: 'key',
  run({ spending }, report) {
    if (account === undefined) return report.skipped('The account cannot be read.');
    // The types describe what the service should send.
    const { balance, concurrency }: { balance?: unknown; concurrency?: unknown } = account;
    const balanceUsd = isRecord(balance) ? balance['usd'] : undefined;
    if (typeof balanceUsd !== 'number') {
      report.warning('The account record has no balance in USD.');
    } else {
      spending.noteWallet(balanceUsd);
      const detail = `The balance is ${usd(balanceUsd)}.`;
      const advice = 'Top up the balance: paid requests fail with a 402.';
      if (balanceUsd > 0) report.ok(detail);
      else report.failed(detail, { advice });
    }
    const limit = isRecord(concurrency) ? concurrency['limit'] : undefined;
    if (limit !== 0) return;
    spending.block('The concurrency limit of the account is 0.');
    report
      .onAspect('concurrency', 'Concurrency limit')
      .failed(
        'The concurrency limit is 0: the service rejects every chat and generation with a 429.',
        { advice: 'Ask the operator of the service to raise the limit.' },
      );
  },
});
