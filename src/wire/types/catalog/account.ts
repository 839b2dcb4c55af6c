import { arrayField, responseSchema, stringField } from '../schema.ts';
import type { OpenString } from '../schema.ts';

/** Balance of the account. One wallet, shown in two currencies: do not add the two amounts. */
export interface AccountBalance {
  /** Balance in USD. */
  usd: number;
  /** The same balance in CNY. */
  cny: number;
  /** Whether the balance is shared across currencies. */
  shared: boolean;
}

/** Concurrency limit of the account. */
export interface AccountConcurrency {
  /** Maximum number of concurrent chat and generation requests. */
  limit: number;
  /** Rule that sets the limit: an override, or a tier named `tier_…`. */
  source: OpenString<'api_key_override' | 'user_override' | 'tier_enterprise'>;
}

/** Models available to the API key. */
export interface AccountModels {
  /** Number of models available to the API key. */
  available: number;
}

/** The account that the API key belongs to. */
export interface Account {
  /** Record type. */
  object: 'account';
  /** Wallet type. One wallet pays for all operations. */
  wallet: OpenString<'unified'>;
  /** Wallet balance. */
  balance: AccountBalance;
  /** Concurrency limit. */
  concurrency: AccountConcurrency;
  /** Models available to the API key. */
  models: AccountModels;
}

/** One readiness check. */
export interface ReadinessCheck {
  /** Check id. */
  id: OpenString<'api_key' | 'unified_wallet'>;
  /** Result of the check. The only documented value is `ready`. */
  status: OpenString<'ready'>;
  /** Whether the check is required for launch. False for advisory checks. */
  required: boolean;
}

/** Readiness of the account for production. */
export interface Readiness {
  /** Record type. */
  object: 'readiness';
  /** Wallet type. */
  wallet: OpenString<'unified'>;
  /** Overall status. The only documented value is `ready`. */
  status: OpenString<'ready'>;
  /** Readiness score. The range is not documented. */
  score: number;
  /** Human-readable summary. */
  summary: string;
  /** All checks, required and advisory. */
  checks: ReadinessCheck[];
}

/** Balance of the key owner's account. */
export interface QuotaBalance {
  /** Balance in quota units. */
  quota: number;
  /** Balance in the display currency. */
  amount: number;
  /** `amount` as formatted text with the currency symbol. */
  display_amount: string;
  /**
   * Quota units per 1 USD. The documented value is 500000.
   * @sample 500000
   */
  quota_per_unit: number;
  /** Display currency or unit of `amount`. */
  quota_display_type: OpenString<'USD' | 'CNY' | 'CUSTOM' | 'TOKENS'>;
  /** Currency symbol, such as `$` or `¥`. */
  currency_symbol: string;
  /** Exchange rate from USD to the display currency; 1 for `USD`. */
  exchange_rate: number;
}

/** The API key and its quota. */
export interface KeyToken {
  /** Key id. */
  id: number;
  /** Key name. */
  name: string;
  /** Remaining quota units. */
  remain_quota: number;
  /** Used quota units. */
  used_quota: number;
  /** Sum of `remain_quota` and `used_quota`. */
  total_quota: number;
  /** Whether the quota of the key is unlimited. */
  unlimited_quota: boolean;
  /** Expiry time, as sent. -1 is a special value whose meaning is not documented. */
  expired_time: number;
  /** Key status. 1 is normal; other values are not documented. */
  status: number;
  /** Whether `model_limits` is enforced. */
  model_limits_enabled: boolean;
  /** Model restrictions; empty if there are none. */
  model_limits: Record<string, unknown>;
}

/** Data of a key balance record. */
export interface KeyBalanceData {
  /** Record type. */
  object: 'api_key_balance';
  /** User id of the key's owner. */
  user_id: number;
  /** Balance of the owner's account. */
  balance: QuotaBalance;
  /** The API key and its quota. */
  token: KeyToken;
}

/** Balance of the key owner's account and quota of the key. */
export interface KeyBalance {
  /** Whether the request succeeded. */
  success: boolean;
  /** Error message; empty on success. */
  message: string;
  /** Balance and key. */
  data: KeyBalanceData;
}

export const readinessSchema = /* @__PURE__ */ responseSchema<Readiness>({
  checks: arrayField(responseSchema<ReadinessCheck>({ id: stringField, status: stringField })),
});
