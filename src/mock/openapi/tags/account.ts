import {
  accountRecord,
  keyBalanceRecord,
  readinessRecord,
} from '../../../schemas/catalog/account.ts';
import { keyBalanceErrorEnvelopeRecord } from '../../../schemas/catalog/error-codes.ts';
import type { TagDocs } from '../docs.ts';

const wallet = 'Wallet type. Always `unified`: one wallet pays for all operations.';

/** Specification: Account; Readiness; Key balance record. */
export const accountDocs: TagDocs = {
  tag: { name: 'Account', description: 'Balance, concurrency limit, readiness and API key.' },
  operations: {
    'GET /v1/account': {
      id: 'getAccount',
      description:
        'Returns the balance, the concurrency limit and the number of available models. The response headers also report the balance and the limit.',
      responses: { 200: ['The account of the API key.'] },
    },
    'GET /v1/readiness': {
      id: 'getReadiness',
      description:
        'Reports whether the account is ready for production traffic. Required checks that are not `ready` block a launch; the others are advisory. An account with no remaining balance is not ready.',
      responses: { 200: ['The readiness of the account.'] },
    },
    'GET /api/usage/balance': {
      id: 'getKeyBalance',
      description:
        "Returns the balance of the key owner's account, in quota units and in the display currency, and the remaining quota of the API key. The path has no `/v1` prefix, and errors have a different envelope.",
      responses: { 200: ['The balance of the account and the quota of the API key.'] },
    },
  },
  schemas: {
    Account: {
      schema: accountRecord,
      description: 'The account of an API key.',
      example: {
        object: 'account',
        wallet: 'unified',
        balance: { usd: 10, cny: 72, shared: true },
        concurrency: { limit: 8, source: 'tier_enterprise' },
        models: { available: 9 },
      },
      fields: {
        object: 'Object type.',
        wallet,
        balance:
          'Balance of the wallet, in two currencies. Both amounts are the same money; do not add them.',
        'balance.usd': 'Balance in USD.',
        'balance.cny': 'The same balance in CNY.',
        'balance.shared': 'Whether the balance is shared across currencies.',
        concurrency: 'Concurrency limit of the API key or account.',
        'concurrency.limit':
          'Maximum number of chat and generation requests in flight at the same time.',
        'concurrency.source':
          'Rule that sets the limit: `api_key_override`, `user_override`, or a tier such as `tier_enterprise`.',
        models: 'Models available to the API key.',
        'models.available': 'Number of models available to the API key.',
      },
    },
    Readiness: {
      schema: readinessRecord,
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
      fields: {
        object: 'Object type.',
        wallet,
        status: 'Overall readiness status; `ready` if no required check fails.',
        score: 'Readiness score.',
        summary: 'Human-readable summary.',
        checks: 'Individual checks.',
        'checks[].id': 'Check id, such as `api_key` or `unified_wallet`.',
        'checks[].status': 'Status of the check; `ready` if it passes.',
        'checks[].required': 'Whether the check must be `ready` before launch.',
      },
    },
    KeyBalance: {
      schema: keyBalanceRecord,
      description: "Balance of the key owner's account and quota of the API key.",
      fields: {
        success: 'Whether the request succeeded; always true in this response.',
        message: 'Error message; empty on success.',
        data: 'Balance and API key.',
        'data.object': 'Object type.',
        'data.user_id': "User id of the key's owner.",
        'data.balance': "Balance of the owner's account.",
        'data.balance.quota': 'Balance in quota units.',
        'data.balance.amount': 'Balance in the display currency.',
        'data.balance.display_amount': 'Formatted balance with currency symbol.',
        'data.balance.quota_per_unit': { description: 'Quota units per 1 USD.', example: 500000 },
        'data.balance.quota_display_type': {
          description: 'Currency or unit in which the balance is displayed.',
          enum: ['USD', 'CNY', 'CUSTOM', 'TOKENS'],
        },
        'data.balance.currency_symbol': 'Symbol of the display currency, such as `$` or `¥`.',
        'data.balance.exchange_rate': 'Units of the display currency per 1 USD; 1 for `USD`.',
        'data.token': 'API key.',
        'data.token.id': 'API key id.',
        'data.token.name': 'API key name.',
        'data.token.remain_quota': 'Remaining quota in quota units.',
        'data.token.used_quota': 'Used quota in quota units.',
        'data.token.total_quota': 'Sum of `remain_quota` and `used_quota`.',
        'data.token.unlimited_quota': 'Whether the quota of the API key is unlimited.',
        'data.token.expired_time': 'Expiry time of the API key; -1 is a special value.',
        'data.token.status': 'Status code of the API key; 1 is the normal value.',
        'data.token.model_limits_enabled': 'Whether `model_limits` applies.',
        'data.token.model_limits': 'Restrictions by model; empty if there are none.',
      },
    },
    KeyBalanceError: {
      schema: keyBalanceErrorEnvelopeRecord,
      description: 'Error envelope of the key balance endpoint.',
      example: { success: false, message: 'Invalid token' },
      fields: {
        success: 'Always false.',
        message: 'Error message: `Token not provided`, `Invalid token` or `Token invalid`.',
      },
    },
  },
};
