import * as z from 'zod/mini';

import * as shapes from '../../../wire/generated/index.ts';
import { acceptedFields } from '../../../wire/schemas/params.ts';
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

const modelDetailRecord = z.intersection(
  shapes.model,
  acceptedFields({
    request_interface: [
      'How to call the model.',
      acceptedFields({
        method: ['HTTP method.', z.string()],
        path: ['Path of the endpoint.', z.string()],
      }),
    ],
  }),
);

/** Specification: Model; Pricing object; Account and catalog. */
export const modelsDocs: TagDocs = {
  tag: { name: 'Models', description: 'Available models and their prices.' },
  operations: {
    'GET /v1/models': {
      id: 'listModels',
      description:
        'Lists the models that the API key can use. By default, the list is in the OpenAI style. With the headers `x-api-key` and `anthropic-version`, it is in the Anthropic style; with the header `x-goog-api-key` or the query parameter `key`, in the Gemini style. These keys authenticate the request instead of a bearer key; send only one of them, because each selects a style.',
      query: { key: 'API key, as sent by Gemini clients. Selects the Gemini style.' },
      headers: {
        'x-api-key': 'API key, as sent by Anthropic clients.',
        'anthropic-version': 'Any version. Together with `x-api-key`, selects the Anthropic style.',
        'x-goog-api-key': 'API key, as sent by Gemini clients. Selects the Gemini style.',
      },
      responses: {
        200: [
          'The models that the API key can use, in the requested style.',
          'ModelList',
          'AnthropicModelList',
          'GeminiModelList',
        ],
      },
    },
    'GET /v1/models/{model}': {
      id: 'getModel',
      description: 'Returns a model with its prices and request interface.',
      responses: { 200: ['The model.', 'ModelDetail'] },
      errorCodes: { 404: ['model_not_found'] },
    },
  },
  schemas: {
    Model: {
      schema: shapes.model,
      description: 'A model.',
    },
    ModelDetail: {
      schema: modelDetailRecord,
      description: 'A model with its request interface.',
      fields: { 'request_interface.path': { example: '/v1/chat/completions' } },
    },
    Pricing: {
      schema: shapes.pricing,
      description: 'Prices of a model. `profiles.api.billingUnit` determines which price applies.',
    },
    ModelList: {
      schema: shapes.modelListRecord,
      description: 'The model list in the OpenAI style.',
    },
    AnthropicModelList: {
      schema: shapes.anthropicModelList,
      description: 'The model list in the Anthropic style.',
      keywords: shapes.anthropicModelListKeywords,
    },
    GeminiModelList: {
      schema: shapes.geminiModelList,
      description: 'The model list in the Gemini style.',
    },
  },
};
