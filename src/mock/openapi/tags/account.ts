import {
  accountRecord,
  keyBalanceRecord,
  readinessRecord,
} from '../../../wire/schemas/catalog/account.ts';
import { keyBalanceErrorEnvelopeRecord } from '../../../wire/schemas/catalog/errors.ts';
import type { TagDocs } from '../docs.ts';

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
    },
    KeyBalance: {
      schema: keyBalanceRecord,
      description: "Balance of the key owner's account and quota of the API key.",
      fields: {
        'data.balance.quota_per_unit': { example: 500000 },
        'data.balance.quota_display_type': {
          enum: ['USD', 'CNY', 'CUSTOM', 'TOKENS'],
        },
      },
    },
    KeyBalanceError: {
      schema: keyBalanceErrorEnvelopeRecord,
      description: 'Error envelope of the key balance endpoint.',
      example: { success: false, message: 'Invalid token' },
    },
  },
};
