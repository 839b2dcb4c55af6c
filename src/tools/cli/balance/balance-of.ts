import type { Account, KeyBalance } from 'polygate';

/** Balance, quota and limits. A field is missing if the service does not send it. */
export interface BalanceSummary {
  wallet: { usd: number | undefined };
  key: { unlimited: boolean; remainingUsd: number | undefined; usedUsd: number | undefined };
  concurrency: { limit: number | undefined };
}

/** The service may leave out any part of the records, whatever the types say. */
type Sent<Type> = { [Key in keyof Type]?: Type[Key] extends object ? Sent<Type[Key]> : Type[Key] };

/** Summarizes the account, if it is given, and the balance of the API key. */
export function balanceOf(
  { balance, concurrency }: Sent<Account> = {},
  { data }: Sent<KeyBalance>,
): BalanceSummary {
  const { token } = data ?? {};
  const unitsPerUsd = data?.balance?.quota_per_unit;
  const usd = (units: number | undefined) =>
    units !== undefined && unitsPerUsd ? units / unitsPerUsd : undefined;
  return {
    wallet: { usd: balance?.usd },
    key: {
      unlimited: token?.unlimited_quota === true,
      remainingUsd: token?.unlimited_quota === true ? undefined : usd(token?.remain_quota),
      usedUsd: usd(token?.used_quota),
    },
    concurrency: { limit: concurrency?.limit },
  };
}
