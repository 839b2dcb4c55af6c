import * as shapes from '../../wire/generated/index.ts';
import type { KeyBalance, Readiness } from '../../wire/types/catalog/account.ts';
import type {
  Model,
  AnthropicModelList,
  GeminiModelList,
} from '../../wire/types/catalog/models.ts';
import { formatUsd, roundUsd } from '../account/money.ts';
import { defineEndpoint, param, documented } from '../http/endpoint.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { json, GatewayError } from '../http/response.ts';
import { accountDocs, modelsDocs } from '../openapi/tags/catalog.ts';
import type { User } from '../state.ts';

/** Specification: Account and catalog. */
export const accountRoutes = documented(accountDocs, [
  defineEndpoint({
    method: 'GET',
    path: '/v1/account',
    summary: 'Retrieve the account',
    responseSchema: shapes.account,
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
    responseSchema: shapes.readiness,
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
    auth: 'balance',
    responseSchema: shapes.keyBalance,
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

/** Lists the caller's charges and refunds. Assumption A20. */
export function usageRecords(context: RequestContext): unknown {
  const lines = context.services.ledger.lines.filter((line) => line.user === context.user.name);
  return {
    object: 'usage.list',
    data: lines.map((line) => ({
      id: `usage_${line.requestId}`,
      request_id: line.requestId,
      task_id: line.taskId ?? null,
      model: line.model,
      operation: line.route,
      charge_usd: line.usd,
      created_at: Math.floor(line.at / 1000),
    })),
    has_more: false,
    next_cursor: null,
  };
}

/** Specification: Account and catalog. */
export const modelRoutes = documented(modelsDocs, [
  defineEndpoint({
    method: 'GET',
    path: '/v1/models',
    summary: 'List models',
    auth: 'any-key',
    query: ['key'],
    responseSchema: shapes.modelListRecord,
    errors: [400, 401, 403],
    handle: ({ services, headers, query }) => {
      const { models } = services.catalog;
      if (headers.has('x-api-key') && headers.has('anthropic-version')) {
        return json(200, anthropicList(models));
      }
      if (headers.has('x-goog-api-key') || query.has('key')) return json(200, geminiList(models));
      return json(200, { object: 'list', data: models });
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'Retrieve a model',
    responseSchema: shapes.model,
    errors: [401, 403, 404],
    handle: (context) => {
      const id = param(context, 'model');
      const model = context.services.catalog.find(id);
      if (model === undefined) {
        throw new GatewayError(404, 'model_not_found', `The service has no model ${id}`);
      }
      return json(200, { ...model, request_interface: requestInterface(model) });
    },
  }),
]);

const submitPaths: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  image: '/v1/images/tasks',
  video: '/v1/videos',
  audio: '/v1/audio/tasks',
};

/** Describes how to call the model. The specification mentions this metadata but not its fields. */
function requestInterface(model: Model): Record<string, unknown> {
  return { method: 'POST', path: submitPaths[model.type] ?? '' };
}

/** Creates the Anthropic-style model list. Assumption A17. */
function anthropicList(models: readonly Model[]): AnthropicModelList {
  return {
    data: models.map((model) => ({
      type: 'model',
      id: model.id,
      display_name: displayName(model.id),
      created_at: new Date(model.created * 1000).toISOString(),
    })),
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    has_more: false,
  };
}

/** Creates the Gemini-style model list. Assumption A17. */
function geminiList(models: readonly Model[]): GeminiModelList {
  return {
    models: models.map(({ id }) => ({ name: `models/${id}`, displayName: displayName(id) })),
    nextPageToken: null,
  };
}

/** Turns `tide-video` into `Tide Video`. */
function displayName(id: string): string {
  const words = (id.split('/').at(-1) ?? id).split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
