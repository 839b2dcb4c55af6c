import { accountRecord, keyBalanceRecord, readinessRecord } from '../../../schemas/account.ts';
import { keyBalanceErrorEnvelopeRecord } from '../../../schemas/error-codes.ts';
import type { TagDocs } from '../docs.ts';

const wallet = 'Kind of wallet, `unified`: one wallet pays for every operation.';

/** Specification: Account; Readiness; Key balance record. */
export const accountDocs: TagDocs = {
  tag: { name: 'Account', description: 'The wallet, the concurrency limit and the key.' },
  operations: {
    'GET /v1/account': {
      id: 'getAccount',
      description:
        'The balance in USD and in CNY is the same money shown twice. The headers say the same.',
      responses: { 200: ['The account behind the key.'] },
    },
    'GET /v1/readiness': {
      id: 'getReadiness',
      description:
        'Required checks that are not `ready` block a launch; the others are advice. An empty wallet is not ready.',
      responses: { 200: ['The outcome of every check.'] },
    },
    'GET /api/usage/balance': {
      id: 'getKeyBalance',
      description:
        "The balance of the key owner's account in quota units and in a display currency, and what the key itself may still spend. This path has no `/v1`, and its errors have an envelope of their own.",
      responses: { 200: ['The balance and the key.'] },
    },
  },
  schemas: {
    Account: {
      schema: accountRecord,
      description: 'The account behind a key.',
      example: {
        object: 'account',
        wallet: 'unified',
        balance: { usd: 10, cny: 72, shared: true },
        concurrency: { limit: 8, source: 'tier_enterprise' },
        models: { available: 9 },
      },
      fields: {
        object: 'Kind of record.',
        wallet,
        balance: 'What the wallet holds, in two currencies: never add them.',
        'balance.usd': 'What the wallet holds, USD.',
        'balance.cny': 'The same money, CNY.',
        'balance.shared': 'Whether both currencies draw on one balance.',
        concurrency: 'How many requests may run at once.',
        'concurrency.limit': 'Chat and generation requests that may be in flight together.',
        'concurrency.source':
          'The rule that set the limit: `api_key_override`, `user_override`, or a tier such as `tier_enterprise`.',
        models: 'What the key may use.',
        'models.available': 'Number of models available to the key.',
      },
    },
    Readiness: {
      schema: readinessRecord,
      description: 'Whether the account can go live.',
      example: {
        object: 'readiness',
        wallet: 'unified',
        status: 'ready',
        score: 100,
        summary: 'Everything is ready',
        checks: [
          { id: 'api_key', status: 'ready', required: true },
          { id: 'unified_wallet', status: 'ready', required: true },
        ],
      },
      fields: {
        object: 'Kind of record.',
        wallet,
        status: 'Overall outcome; `ready` when nothing stands in the way.',
        score: 'Readiness as a number.',
        summary: 'The outcome in a sentence, for people.',
        checks: 'Everything that was checked.',
        'checks[].id': 'What was checked, such as `api_key` or `unified_wallet`.',
        'checks[].status': 'Its outcome; `ready` when all is well.',
        'checks[].required': 'Whether a launch has to wait for it.',
      },
    },
    KeyBalance: {
      schema: keyBalanceRecord,
      description: 'What a key and the account of its owner hold.',
      fields: {
        success: 'Whether the service could answer; true here.',
        message: 'What went wrong; empty on success.',
        data: 'The balance and the key.',
        'data.object': 'Kind of record.',
        'data.user_id': "Id of the key's owner.",
        'data.balance': "The owner's account.",
        'data.balance.quota': 'What the account holds, quota units.',
        'data.balance.amount': 'What the account holds, display currency.',
        'data.balance.display_amount': '`amount` written out with its symbol.',
        'data.balance.quota_per_unit': { description: 'Quota units in 1 USD.', example: 500000 },
        'data.balance.quota_display_type': {
          description: 'What `amount` is shown in.',
          enum: ['USD', 'CNY', 'CUSTOM', 'TOKENS'],
        },
        'data.balance.currency_symbol': 'Symbol of the display currency, such as `$` or `¥`.',
        'data.balance.exchange_rate': 'Display currency for 1 USD; 1 for `USD`.',
        'data.token': 'The key itself.',
        'data.token.id': 'Id of the key.',
        'data.token.name': 'Name of the key.',
        'data.token.remain_quota': 'Quota units that the key may still spend.',
        'data.token.used_quota': 'Quota units that the key has spent.',
        'data.token.total_quota': '`remain_quota` and `used_quota` together.',
        'data.token.unlimited_quota': 'Whether the key has no quota of its own.',
        'data.token.expired_time': 'When the key expires; -1 is a special value.',
        'data.token.status': 'State of the key; 1 is normal.',
        'data.token.model_limits_enabled': 'Whether the key is held to `model_limits`.',
        'data.token.model_limits': 'The restriction by model; empty without one.',
      },
    },
    KeyBalanceError: {
      schema: keyBalanceErrorEnvelopeRecord,
      description: 'The error envelope of the key balance.',
      example: { success: false, message: 'Invalid token' },
      fields: {
        success: 'Always false.',
        message: 'What went wrong: `Token not provided`, `Invalid token` or `Token invalid`.',
      },
    },
  },
};
