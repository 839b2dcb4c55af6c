import { describe, expect, test } from 'vitest';

import {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConcurrencyLimitError,
  ConflictError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  ServerError,
  ServiceUnavailableError,
} from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import { balanceMessages, endpoints } from '../coverage/specification.ts';
import { authenticatedCalls, allCalls, publicCalls } from '../support/calls.ts';
import { rejection } from '../support/rejection.ts';

/** The error class, code and type of each documented status. */
const errorsByStatus = new Map<number, readonly [typeof APIError, string, string]>([
  [400, [BadRequestError, 'invalid_request_parameter', 'invalid_request_error']],
  [401, [AuthenticationError, 'invalid_api_key', 'authentication_error']],
  [402, [PaymentRequiredError, 'insufficient_balance', 'billing_error']],
  [403, [PermissionDeniedError, 'api_key_disabled', 'permission_error']],
  [404, [NotFoundError, 'not_found', 'not_found_error']],
  [409, [ConflictError, 'idempotency_conflict', 'invalid_request_error']],
  [429, [ConcurrencyLimitError, 'concurrency_limit_exceeded', 'rate_limit_error']],
  [500, [ServerError, 'internal_error', 'api_error']],
  [503, [ServiceUnavailableError, 'service_unavailable', 'api_error']],
]);

const failFast = { maxRetries: 0, concurrency: false } as const;
const errorCases = allCalls.flatMap(({ route, sent, call }) =>
  (endpoints[route] ?? [])
    .filter((status) => status >= 400)
    .map((status) => [route, status, sent, call] as const),
);

test('the calls cover every endpoint of the specification', () => {
  const routes = allCalls.map(({ route }) => route);
  expect(Object.keys(endpoints).filter((route) => !routes.includes(route))).toEqual([]);
});

test.each(errorCases)(
  '%s rejects with the matching error class on a %i',
  async (_, status, sent, call) => {
    const { gateway, mock } = onMock({}, failFast);
    const [kind = APIError, defaultCode, type] = errorsByStatus.get(status) ?? [];
    // A 404 with another code makes the client try other poll paths.
    const code = status === 404 && sent.includes('/tasks/') ? 'task_not_found' : defaultCode;
    mock.fail({ route: sent, status, code, message: 'Not today' });
    const error = await rejection(kind, call(gateway));
    expect(error).toMatchObject({ name: kind.name, status, code, type });
    expect(error.body).toEqual({ error: { message: 'Not today', type, code } });
    expect(error.message).toContain('Not today');
    expect(error.requestId).toBe(mock.requests[0]?.requestId);
    expect(error.meta.requestId).toBe(error.requestId);
    expect(mock.requests).toHaveLength(1);
  },
);

describe('authentication', () => {
  test.each(authenticatedCalls.map(({ sent, call }) => [sent, call] as const))(
    '%s rejects a missing, an invalid and a disabled key',
    async (sent, call) => {
      const { gateway, mock } = onMock({}, { maxRetries: 0 });
      const balance = sent.endsWith('/balance');
      const missing = await rejection(
        AuthenticationError,
        call(gateway.withOptions({ apiKey: null })),
      );
      expect(missing).toMatchObject({ status: 401, ...(!balance && { code: 'api_key_required' }) });
      const invalid = gateway.withOptions({ apiKey: 'sk-wrong' });
      await rejection(AuthenticationError, call(invalid));
      mock.setKeyState(mock.apiKey, 'disabled');
      await rejection(PermissionDeniedError, call(gateway));
      const sentKeys = mock.requests.map(({ headers }) => headers.authorization);
      expect(sentKeys).toEqual([undefined, 'Bearer sk-wrong', `Bearer ${mock.apiKey}`]);
    },
  );

  test('the key balance has its own error envelope, which maps to the same error classes', async () => {
    const { gateway, mock } = onMock({}, { maxRetries: 0 });
    const balanceError = async (client: typeof gateway) =>
      rejection(APIError, Promise.resolve(client.account.balance()));
    const missing = await balanceError(gateway.withOptions({ apiKey: null }));
    const invalid = await balanceError(gateway.withOptions({ apiKey: 'sk-wrong' }));
    mock.setKeyState(mock.apiKey, 'disabled');
    const disabled = await balanceError(gateway);
    const errors = [missing, invalid, disabled];
    expect(errors.map(({ name }) => name)).toEqual([
      'AuthenticationError',
      'AuthenticationError',
      'PermissionDeniedError',
    ]);
    expect(errors.map(({ status, body }) => ({ status, body }))).toEqual(
      balanceMessages.map((row) => ({
        status: Number(row.slice(0, 3)),
        body: { success: false, message: row.slice(4) },
      })),
    );
    for (const [index, error] of errors.entries()) {
      expect(error.message).toContain(balanceMessages[index]?.slice(4));
      expect(error.code).toBeUndefined();
    }
  });
});

describe('errors of the reference gateway', () => {
  const paid = authenticatedCalls.filter(({ route }) => endpoints[route]?.includes(402));

  test.each(paid.map(({ route, call }) => [route, call] as const))(
    '%s rejects with a 402 and no charge if the balance is insufficient',
    async (_, call) => {
      const { gateway, mock } = onMock({ wallet: { usd: 0 } });
      const error = await rejection(PaymentRequiredError, call(gateway));
      expect(error).toMatchObject({ code: 'insufficient_balance', outcome: 'rejected' });
      expect(mock.requests).toHaveLength(1);
      expect(mock.invoice).toEqual([]);
    },
  );

  test.each(paid.map(({ route, call }) => [route, call] as const))(
    '%s beyond the concurrency limit rejects with a 429 that reports the limit',
    async (_, call) => {
      const { gateway, mock } = onMock({}, failFast);
      mock.setConcurrencyLimit(0);
      const error = await rejection(ConcurrencyLimitError, call(gateway));
      expect(error).toMatchObject({
        status: 429,
        code: 'concurrency_limit_exceeded',
        outcome: 'rejected',
        retryAfterMs: 1_000,
        meta: { concurrency: { limit: 0, remaining: 0, source: 'tier_enterprise' } },
      });
    },
  );

  const withId = allCalls.filter(({ route }) => endpoints[route]?.includes(404));

  test.each(withId.map(({ route, sent, call }) => [route, sent, call] as const))(
    '%s rejects with a 404 and a code for an unknown id',
    async (route, _, call) => {
      const { gateway } = onMock({ models: [] });
      if (route.includes('{code}')) {
        const error = await rejection(
          NotFoundError,
          Promise.resolve(gateway.public.error('no_such_code')),
        );
        expect(error.code).toBe('not_found');
        return;
      }
      const error = await rejection(NotFoundError, call(gateway));
      expect(error.code).toMatch(/^(model|task|material)_not_found$/);
    },
  );

  test('public endpoints respond to any caller', async () => {
    const { gateway, mock } = onMock({}, { apiKey: null });
    mock.setKeyState(mock.apiKey, 'disabled');
    for (const { call } of publicCalls) expect(await call(gateway)).toBeTypeOf('object');
    expect(mock.requests.map(({ status }) => status)).toEqual(publicCalls.map(() => 200));
  });
});
