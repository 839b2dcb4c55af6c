import * as z from 'zod/mini';

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
} from '../../types/catalog/account.ts';
import { openString, recordSchema } from '../record-schema.ts';

export const accountRecord = recordSchema<Account>({
  object: z.literal('account'),
  wallet: openString<'unified'>(),
  balance: recordSchema<AccountBalance>({
    usd: z.number(),
    cny: z.number(),
    shared: z.boolean(),
  }),
  concurrency: recordSchema<AccountConcurrency>({
    limit: z.number(),
    source: openString<'api_key_override'>(),
  }),
  models: recordSchema<AccountModels>({ available: z.number() }),
});

export const readinessRecord = recordSchema<Readiness>({
  object: z.literal('readiness'),
  wallet: openString<'unified'>(),
  status: openString<'ready'>(),
  score: z.number(),
  summary: z.string(),
  checks: z.array(
    recordSchema<ReadinessCheck>({
      id: openString<'api_key'>(),
      status: openString<'ready'>(),
      required: z.boolean(),
    }),
  ),
});

export const keyBalanceRecord = recordSchema<KeyBalance>({
  success: z.boolean(),
  message: z.string(),
  data: recordSchema<KeyBalanceData>({
    object: z.literal('api_key_balance'),
    user_id: z.number(),
    balance: recordSchema<QuotaBalance>({
      quota: z.number(),
      amount: z.number(),
      display_amount: z.string(),
      quota_per_unit: z.number(),
      quota_display_type: openString<'USD'>(),
      currency_symbol: z.string(),
      exchange_rate: z.number(),
    }),
    token: recordSchema<KeyToken>({
      id: z.number(),
      name: z.string(),
      remain_quota: z.number(),
      used_quota: z.number(),
      total_quota: z.number(),
      unlimited_quota: z.boolean(),
      expired_time: z.number(),
      status: z.number(),
      model_limits_enabled: z.boolean(),
      model_limits: z.record(z.string(), z.unknown()),
    }),
  }),
});
