import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import { arrayField, responseSchema, stringField } from './schema.ts';
import type { Open } from './schema.ts';

/**
 * The account's money. It is one wallet shown in two currencies: never add them. Specification:
 * Account.
 */
export interface AccountBalance {
  /** What the wallet holds, in USD. */
  usd: number;
  /** The same money, in CNY. */
  cny: number;
  /** Whether both currencies draw on one balance. */
  shared: boolean;
}

/** How many requests may run at once. Specification: Account; Limits. */
export interface AccountConcurrency {
  /** Chat and generation requests that may be in flight together. */
  limit: number;
  /** The rule that set the limit; tiers are named `tier_…`. */
  source: Open<'api_key_override' | 'user_override' | 'tier_enterprise'>;
}

/** What the key may use. Specification: Account. */
export interface AccountModels {
  /** Number of models available to the key. */
  available: number;
}

/** The account behind the key. Specification: Account. */
export interface Account {
  /** Kind of record. */
  object: 'account';
  /** Kind of wallet; one wallet pays for every operation. */
  wallet: Open<'unified'>;
  /** What the wallet holds. */
  balance: AccountBalance;
  /** How many requests may run at once. */
  concurrency: AccountConcurrency;
  /** What the key may use. */
  models: AccountModels;
}

/** One thing that was checked before launch. Specification: Readiness. */
export interface ReadinessCheck {
  /** What was checked. */
  id: Open<'api_key' | 'unified_wallet'>;
  /** Its outcome; `ready` is the one documented word. */
  status: Open<'ready'>;
  /** Whether a launch has to wait for it; an advisory check has false. */
  required: boolean;
}

/** Whether the account can go live. Specification: Readiness. */
export interface Readiness {
  /** Kind of record. */
  object: 'readiness';
  /** Kind of wallet. */
  wallet: Open<'unified'>;
  /** Overall outcome; `ready` is the one documented word. */
  status: Open<'ready'>;
  /** Readiness as a number; its range is not documented. */
  score: number;
  /** The outcome in a sentence, for people. */
  summary: string;
  /** Everything that was checked, required or advisory. */
  checks: ReadinessCheck[];
}

/** The balance of the key owner's account. Specification: Key balance record, `data.balance`. */
export interface QuotaBalance {
  /** What the account holds, in quota units. */
  quota: number;
  /** What the account holds, in the display currency. */
  amount: number;
  /** `amount` written out with its symbol. */
  display_amount: string;
  /** Quota units in 1 USD; 500000 is documented. */
  quota_per_unit: number;
  /** What `amount` is shown in. */
  quota_display_type: Open<'USD' | 'CNY' | 'CUSTOM' | 'TOKENS'>;
  /** Symbol of the display currency, such as `$` or `¥`. */
  currency_symbol: string;
  /** Display currency for 1 USD; 1 for `USD`. */
  exchange_rate: number;
}

/** The key itself and what it may spend. Specification: Key balance record, `data.token`. */
export interface KeyToken {
  /** Id of the key. */
  id: number;
  /** Name of the key. */
  name: string;
  /** Quota units that the key may still spend. */
  remain_quota: number;
  /** Quota units that the key has spent. */
  used_quota: number;
  /** `remain_quota` and `used_quota` together. */
  total_quota: number;
  /** Whether the key has no quota of its own. */
  unlimited_quota: boolean;
  /** When the key expires, as sent; -1 is special, and its meaning is not documented. */
  expired_time: number;
  /** State of the key; 1 is normal, other values are not documented. */
  status: number;
  /** Whether the key is held to `model_limits`. */
  model_limits_enabled: boolean;
  /** The restriction by model; empty without one. */
  model_limits: Record<string, unknown>;
}

/** The body of a key balance. Specification: Key balance record, `data`. */
export interface KeyBalanceData {
  /** Kind of record. */
  object: 'api_key_balance';
  /** Id of the key's owner. */
  user_id: number;
  /** The balance of the owner's account. */
  balance: QuotaBalance;
  /** The key itself. */
  token: KeyToken;
}

/** What the key and its owner's account hold. Specification: Key balance record. */
export interface KeyBalance {
  /** Whether the service could answer. */
  success: boolean;
  /** What went wrong; empty on success. */
  message: string;
  /** The balance and the key. */
  data: KeyBalanceData;
}

export const accountRecord = /* @__PURE__ */ (() =>
  recordSchema<Account>({
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
  }))();

export const accountSchema = /* @__PURE__ */ responseSchema<Account>({});

export const readinessRecord = /* @__PURE__ */ (() =>
  recordSchema<Readiness>({
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
  }))();

export const readinessSchema = /* @__PURE__ */ responseSchema<Readiness>({
  checks: arrayField(responseSchema<ReadinessCheck>({ id: stringField, status: stringField })),
});

export const keyBalanceRecord = /* @__PURE__ */ (() =>
  recordSchema<KeyBalance>({
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
  }))();

export const keyBalanceSchema = /* @__PURE__ */ responseSchema<KeyBalance>({});
