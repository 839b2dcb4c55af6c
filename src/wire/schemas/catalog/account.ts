import type { Account, Readiness, KeyBalance } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';

/** The account: balance, concurrency limit and number of models. Unknown fields are kept. */
export const accountRecord: z.ZodMiniType<Account, Account> = recordSchema(docs.account, {
  object: z.literal('account'),
  wallet: openString<'unified'>(),
  balance: recordSchema(docs.accountBalance, {
    usd: z.number(),
    cny: z.number(),
    shared: z.boolean(),
  }),
  concurrency: recordSchema(docs.accountConcurrency, {
    limit: z.number(),
    source: openString<'api_key_override'>(),
  }),
  models: recordSchema(docs.accountModels, { available: z.number() }),
});

/** Whether the account is ready, with the result of each check. Unknown fields are kept. */
export const readinessRecord: z.ZodMiniType<Readiness, Readiness> = recordSchema(docs.readiness, {
  object: z.literal('readiness'),
  wallet: openString<'unified'>(),
  status: openString<'ready'>(),
  score: z.number(),
  summary: z.string(),
  checks: z.array(
    recordSchema(docs.readinessCheck, {
      id: openString<'api_key'>(),
      status: openString<'ready'>(),
      required: z.boolean(),
    }),
  ),
});

/** The balance of the API key and its owner. Unknown fields are kept. */
export const keyBalanceRecord: z.ZodMiniType<KeyBalance, KeyBalance> = recordSchema(
  docs.keyBalance,
  {
    success: z.boolean(),
    message: z.string(),
    data: recordSchema(docs.keyBalanceData, {
      object: z.literal('api_key_balance'),
      user_id: z.number(),
      balance: recordSchema(docs.quotaBalance, {
        quota: z.number(),
        amount: z.number(),
        display_amount: z.string(),
        quota_per_unit: z.number(),
        quota_display_type: openString<'USD'>(),
        currency_symbol: z.string(),
        exchange_rate: z.number(),
      }),
      token: recordSchema(docs.keyToken, {
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
  },
);
