// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { Account, AccountBalance, AccountConcurrency, AccountModels, KeyBalance, KeyBalanceData, KeyToken, QuotaBalance, Readiness, ReadinessCheck } from '../../types/catalog/account.ts';

const accountBalance: Schema<AccountBalance> = recordSchema({
  usd: ["Balance in USD.", z.number()],
  cny: ["The same balance in CNY.", z.number()],
  shared: ["Whether the balance is shared across currencies.", z.boolean()],
});

const accountConcurrency: Schema<AccountConcurrency> = recordSchema({
  limit: ["Maximum number of concurrent chat and generation requests.", z.number()],
  source: ["Rule that sets the limit: an override, or a tier named `tier_…`.", openString("api_key_override", "user_override", "tier_enterprise")],
});

const accountModels: Schema<AccountModels> = recordSchema({
  available: ["Number of models available to the API key.", z.number()],
});

export const account: Schema<Account> = recordSchema({
  object: ["Record type.", z.literal("account")],
  wallet: ["Wallet type. One wallet pays for all operations.", openString("unified")],
  balance: ["Wallet balance.", accountBalance],
  concurrency: ["Concurrency limit.", accountConcurrency],
  models: ["Models available to the API key.", accountModels],
});

const readinessCheck: Schema<ReadinessCheck> = recordSchema({
  id: ["Check id.", openString("api_key", "unified_wallet")],
  status: ["Result of the check. The only documented value is `ready`.", openString("ready")],
  required: ["Whether the check is required for launch. False for advisory checks.", z.boolean()],
});

export const readiness: Schema<Readiness> = recordSchema({
  object: ["Record type.", z.literal("readiness")],
  wallet: ["Wallet type.", openString("unified")],
  status: ["Overall status. The only documented value is `ready`.", openString("ready")],
  score: ["Readiness score. The range is not documented.", z.number()],
  summary: ["Human-readable summary.", z.string()],
  checks: ["All checks, required and advisory.", z.array(readinessCheck)],
});

const quotaBalance: Schema<QuotaBalance> = recordSchema({
  quota: ["Balance in quota units.", z.number()],
  amount: ["Balance in the display currency.", z.number()],
  display_amount: ["`amount` as formatted text with the currency symbol.", z.string()],
  quota_per_unit: ["Quota units per 1 USD. The documented value is 500000.", z.number()],
  quota_display_type: ["Display currency or unit of `amount`.", openString("USD", "CNY", "CUSTOM", "TOKENS")],
  currency_symbol: ["Currency symbol, such as `$` or `¥`.", z.string()],
  exchange_rate: ["Exchange rate from USD to the display currency; 1 for `USD`.", z.number()],
});

const keyToken: Schema<KeyToken> = recordSchema({
  id: ["Key id.", z.number()],
  name: ["Key name.", z.string()],
  remain_quota: ["Remaining quota units.", z.number()],
  used_quota: ["Used quota units.", z.number()],
  total_quota: ["Sum of `remain_quota` and `used_quota`.", z.number()],
  unlimited_quota: ["Whether the quota of the key is unlimited.", z.boolean()],
  expired_time: ["Expiry time, as sent. -1 is a special value whose meaning is not documented.", z.number()],
  status: ["Key status. 1 is normal; other values are not documented.", z.number()],
  model_limits_enabled: ["Whether `model_limits` is enforced.", z.boolean()],
  model_limits: ["Model restrictions; empty if there are none.", z.record(z.string(), z.unknown())],
});

const keyBalanceData: Schema<KeyBalanceData> = recordSchema({
  object: ["Record type.", z.literal("api_key_balance")],
  user_id: ["User id of the key's owner.", z.number()],
  balance: ["Balance of the owner's account.", quotaBalance],
  token: ["The API key and its quota.", keyToken],
});

export const keyBalance: Schema<KeyBalance> = recordSchema({
  success: ["Whether the request succeeded.", z.boolean()],
  message: ["Error message; empty on success.", z.string()],
  data: ["Balance and key.", keyBalanceData],
});

export const keyBalanceKeywords = {
  "data.balance.quota_per_unit": {
    "example": 500000
  }
} as const;
