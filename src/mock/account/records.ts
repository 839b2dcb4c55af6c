import type { KeyBalance, Readiness } from '../../schemas/account.ts';
import type { RequestContext } from '../http/request-context.ts';
import { roundUsd } from './money.ts';
import type { User } from './state.ts';

/** What a dollar is shown as in CNY. */
const cnyPerUsd = 7.2;

/** Quota units in a dollar. Specification: Key balance record. */
const quotaPerUsd = 500_000;

/** The wallet once more, in CNY. */
export function balanceCny(user: User): number {
  return roundUsd(user.balanceUsd * cnyPerUsd);
}

/** Specification: Readiness. An empty wallet is not ready. */
export function readiness({ user, services }: RequestContext): Readiness {
  const funded = user.balanceUsd > 0;
  const checks = [
    { id: 'api_key', status: 'ready', required: true },
    { id: 'unified_wallet', status: funded ? 'ready' : 'blocked', required: true },
    {
      id: 'model_catalog',
      status: catalogueStatus(services.catalogue.models.length),
      required: false,
    },
  ];
  return {
    object: 'readiness',
    wallet: 'unified',
    status: funded ? 'ready' : 'blocked',
    score: funded ? 100 : 50,
    summary: funded ? 'Everything is ready' : 'The wallet is empty: top it up before launch',
    checks,
  };
}

function catalogueStatus(models: number): string {
  return models > 0 ? 'ready' : 'advisory';
}

/**
 * Specification: Key balance record. The balance is the owner's, not the key's; what was used is the
 * key's own.
 */
export function keyBalance({ user, key }: RequestContext): KeyBalance {
  const quota = Math.round(user.balanceUsd * quotaPerUsd);
  const used = Math.round((key?.spentUsd ?? 0) * quotaPerUsd);
  return {
    success: true,
    message: '',
    data: {
      object: 'api_key_balance',
      user_id: user.number,
      balance: {
        quota,
        amount: user.balanceUsd,
        display_amount: `$${user.balanceUsd.toFixed(2)}`,
        quota_per_unit: quotaPerUsd,
        quota_display_type: 'USD',
        currency_symbol: '$',
        exchange_rate: 1,
      },
      token: {
        id: key?.number ?? 0,
        name: `key-${key?.number ?? 0}`,
        remain_quota: quota,
        used_quota: used,
        total_quota: quota + used,
        unlimited_quota: false,
        expired_time: -1,
        status: 1,
        model_limits_enabled: false,
        model_limits: {},
      },
    },
  };
}
