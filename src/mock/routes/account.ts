import * as shapes from '../../wire/generated/index.ts';
import type { KeyBalance, Readiness } from '../../wire/types/catalog/account.ts';
import { formatUsd, roundUsd } from '../account/money.ts';
import { defineEndpoint, documented } from '../http/endpoint.ts';
import type { RequestContext, TagDocs } from '../http/endpoint.ts';
import { json } from '../http/response.ts';
import type { User } from '../state.ts';

/** Specification: Account; Readiness; Key balance record. */
const accountDocs: TagDocs = {
  tag: { name: 'Account', description: 'Balance, concurrency limit, readiness and API key.' },
  schemas: {
    Account: {
      schema: shapes.account,
      description: 'The account of an API key.',
      example: {
        object: 'account',
        wallet: 'unified',
        balance: { usd: 10, cny: 72, shared: true },
        concurrency: { limit: 8, source: 'tier_enterprise' },
        models: { available: 9 },
      },
    },
    Readiness: {
      schema: shapes.readiness,
      description: 'Readiness of the account for production traffic.',
      example: {
        object: 'readiness',
        wallet: 'unified',
        status: 'ready',
        score: 100,
        summary: 'All checks passed',
        checks: [
          { id: 'api_key', status: 'ready', required: true },
          { id: 'unified_wallet', status: 'ready', required: true },
        ],
      },
    },
    KeyBalance: {
      schema: shapes.keyBalance,
      description: "Balance of the key owner's account and quota of the API key.",
      keywords: shapes.keyBalanceKeywords,
      closed: ['data.balance.quota_display_type'],
    },
    KeyBalanceError: {
      schema: shapes.keyBalanceErrorEnvelope,
      description: 'Error envelope of the key balance endpoint.',
      example: { success: false, message: 'Invalid token' },
    },
  },
};

/** Specification: Account and catalog. */
export const accountRoutes = documented(accountDocs, [
  defineEndpoint({
    method: 'GET',
    path: '/v1/account',
    summary: 'Retrieve the account',
    id: 'getAccount',
    description:
      'Returns the balance, the concurrency limit and the number of available models. The response headers also report the balance and the limit.',
    responseSchema: shapes.account,
    responses: { 200: ['The account of the API key.'] },
    errors: [401, 403],
    handle: ({ services, user, key }) => {
      const { limit, source } = services.slots.limitFor(key);
      const record = {
        object: 'account',
        wallet: 'unified',
        balance: { usd: user.balanceUsd, cny: balanceCny(user), shared: true },
        concurrency: { limit, source },
        models: { available: services.catalog.models.length },
      };
      return json(200, record, {
        'x-svc-wallet': 'unified',
        'x-svc-balance-usd': formatUsd(user.balanceUsd),
        'x-svc-balance-cny': formatUsd(balanceCny(user)),
        'x-svc-concurrency-limit': String(limit),
        'x-svc-concurrency-source': source,
      });
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/readiness',
    summary: 'Retrieve the account readiness',
    id: 'getReadiness',
    description:
      'Reports whether the account is ready for production traffic. Required checks that are not `ready` block a launch; the others are advisory. An account with no remaining balance is not ready.',
    responseSchema: shapes.readiness,
    responses: { 200: ['The readiness of the account.'] },
    errors: [401, 403],
    handle: (context) => {
      const record = readiness(context);
      return json(200, record, {
        'x-svc-wallet': 'unified',
        'x-svc-readiness-score': String(record.score),
        'x-svc-readiness-status': record.status,
        'x-svc-concurrency-limit': String(context.services.slots.limitFor(context.key).limit),
      });
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/api/usage/balance',
    summary: 'Retrieve the key balance',
    id: 'getKeyBalance',
    description:
      "Returns the balance of the key owner's account, in quota units and in the display currency, and the remaining quota of the API key. The path has no `/v1` prefix, and errors have a different envelope.",
    auth: 'balance',
    responseSchema: shapes.keyBalance,
    responses: { 200: ['The balance of the account and the quota of the API key.'] },
    errors: [401, 403],
    handle: (context) => json(200, keyBalance(context)),
  }),
]);

/** CNY per USD, for displayed balances. */
const cnyPerUsd = 7.2;

/** Quota units per dollar. Specification: Key balance record. */
const quotaPerUsd = 500_000;

/** Converts the balance to CNY. */
function balanceCny(user: User): number {
  return roundUsd(user.balanceUsd * cnyPerUsd);
}

/** Creates the readiness record; `blocked` while the balance is zero. Specification: Readiness. */
function readiness({ user, services }: RequestContext): Readiness {
  const funded = user.balanceUsd > 0;
  const hasModels = services.catalog.models.length > 0;
  const checks = [
    { id: 'api_key', status: 'ready', required: true },
    { id: 'unified_wallet', status: funded ? 'ready' : 'blocked', required: true },
    { id: 'model_catalog', status: hasModels ? 'ready' : 'advisory', required: false },
  ];
  return {
    object: 'readiness',
    wallet: 'unified',
    status: funded ? 'ready' : 'blocked',
    score: funded ? 100 : 50,
    summary: funded
      ? 'All required checks passed'
      : 'Insufficient balance. Top up the balance before launch.',
    checks,
  };
}

/**
 * Creates the key balance record. The remaining quota is shared by all keys of the owner; the used quota
 * counts this key only. Specification: Key balance record.
 */
function keyBalance({ user, key }: RequestContext): KeyBalance {
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
