import {
  accountRecord,
  keyBalanceRecord,
  readinessRecord,
} from '../../wire/schemas/catalog/account.ts';
import { formatUsd } from '../account/money.ts';
import { balanceCny, keyBalance, readiness } from '../account/records.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { json } from '../http/response/response.ts';

/** Specification: Account and catalog. */
export const accountRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/account',
    summary: 'Retrieve the account',
    responseSchema: accountRecord,
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
    responseSchema: readinessRecord,
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
    responseSchema: keyBalanceRecord,
    errors: [401, 403],
    handle: (context) => json(200, keyBalance(context)),
  }),
];
