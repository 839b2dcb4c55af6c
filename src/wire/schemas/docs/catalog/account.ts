// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  Account,
  AccountBalance,
  AccountConcurrency,
  AccountModels,
  KeyBalance,
  KeyBalanceData,
  KeyToken,
  QuotaBalance,
  Readiness,
  ReadinessCheck,
} from '../../../types/catalog/account.ts';
import type { Docs } from '../../record-schema.ts';

export const accountBalance: Docs<AccountBalance> = {
  fields: {
    usd: 'Balance in USD.',
    cny: 'The same balance in CNY.',
    shared: 'Whether the balance is shared across currencies.',
  },
};

export const accountConcurrency: Docs<AccountConcurrency> = {
  fields: {
    limit: 'Maximum number of concurrent chat and generation requests.',
    source: 'Rule that sets the limit: an override, or a tier named `tier_…`.',
  },
};

export const accountModels: Docs<AccountModels> = {
  fields: {
    available: 'Number of models available to the API key.',
  },
};

export const account: Docs<Account> = {
  fields: {
    object: 'Record type.',
    wallet: 'Wallet type. One wallet pays for all operations.',
    balance: 'Wallet balance.',
    concurrency: 'Concurrency limit.',
    models: 'Models available to the API key.',
  },
};

export const readinessCheck: Docs<ReadinessCheck> = {
  fields: {
    id: 'Check id.',
    status: 'Result of the check. The only documented value is `ready`.',
    required: 'Whether the check is required for launch. False for advisory checks.',
  },
};

export const readiness: Docs<Readiness> = {
  fields: {
    object: 'Record type.',
    wallet: 'Wallet type.',
    status: 'Overall status. The only documented value is `ready`.',
    score: 'Readiness score. The range is not documented.',
    summary: 'Human-readable summary.',
    checks: 'All checks, required and advisory.',
  },
};

export const quotaBalance: Docs<QuotaBalance> = {
  fields: {
    quota: 'Balance in quota units.',
    amount: 'Balance in the display currency.',
    display_amount: '`amount` as formatted text with the currency symbol.',
    quota_per_unit: 'Quota units per 1 USD. The documented value is 500000.',
    quota_display_type: 'Display currency or unit of `amount`.',
    currency_symbol: 'Currency symbol, such as `$` or `¥`.',
    exchange_rate: 'Exchange rate from USD to the display currency; 1 for `USD`.',
  },
};

export const keyToken: Docs<KeyToken> = {
  fields: {
    id: 'Key id.',
    name: 'Key name.',
    remain_quota: 'Remaining quota units.',
    used_quota: 'Used quota units.',
    total_quota: 'Sum of `remain_quota` and `used_quota`.',
    unlimited_quota: 'Whether the quota of the key is unlimited.',
    expired_time: 'Expiry time, as sent. -1 is a special value whose meaning is not documented.',
    status: 'Key status. 1 is normal; other values are not documented.',
    model_limits_enabled: 'Whether `model_limits` is enforced.',
    model_limits: 'Model restrictions; empty if there are none.',
  },
};

export const keyBalanceData: Docs<KeyBalanceData> = {
  fields: {
    object: 'Record type.',
    user_id: "User id of the key's owner.",
    balance: "Balance of the owner's account.",
    token: 'The API key and its quota.',
  },
};

export const keyBalance: Docs<KeyBalance> = {
  fields: {
    success: 'Whether the request succeeded.',
    message: 'Error message; empty on success.',
    data: 'Balance and key.',
  },
};
