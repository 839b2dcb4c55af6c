/** What the diagnosis says about a service that fails now and then. */
import { optionsOf } from 'polygate/doctor';
import type { Fault } from 'polygate/mock';
import { expect, test } from 'vitest';

import { addressOf, findingAbout, findingOf, idsWith, startMock } from './diagnosed-mock.ts';

test.each<[string, string, Fault]>([
  ['A2', 'imageTask', { route: 'GET /v1/images/tasks/{id}', status: 503, times: 2 }],
  ['A1', 'videoTask', { route: 'GET /v1/videos/{id}', status: 429 }],
  ['A1', 'videoTask', { route: 'GET /v1/videos/{id}', status: 500, times: 2 }],
])(
  'a poll path (%s) that fails for a moment is not reported as missing',
  async (id, name, fault) => {
    const { run, mock } = startMock();
    mock.fail(fault);
    const diagnosis = await run();
    expect(findingAbout(diagnosis, id)).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^GET \S+ responds, but not in a way that shows/),
      advice: expect.stringContaining(`If waiting for a task fails, set paths.${name}.`),
    });
    expect(optionsOf(diagnosis)).toEqual({});
  },
);

test.each([
  [503, 'warning'],
  [404, 'warning'],
  // A proxy that does not forward the account.
  [403, 'ok'],
])('an account that cannot be read (%i) is reported as %s', async (code, status) => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/account', status: code, code: 'not_forwarded' });
  const found = findingOf(await run(), 'authentication');
  expect(found).toMatchObject({ status, detail: expect.stringContaining(`(status ${code})`) });
  expect(found.advice !== undefined).toBe(status === 'warning');
});

test('a key that was not judged because of a rate limit is not reported as rejected', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/account', status: 429, retryAfter: 7 });
  const diagnosis = await run();
  expect(findingOf(diagnosis, 'authentication')).toMatchObject({
    status: 'skipped',
    advice: expect.stringContaining('in 7 s'),
  });
  expect(findingOf(diagnosis, 'wallet').detail).toBe('The API key could not be checked.');
});

test('a burst of overload does not hide the gateway', async () => {
  const { run, mock } = startMock();
  mock.fail({ status: 503, times: 3, retryAfter: 2 });
  const diagnosis = await run();
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingOf(diagnosis, 'reachable').status).toBe('ok');
});

test('a service that stays overloaded is named in every check', async () => {
  const { run, mock } = startMock();
  mock.fail({ status: 503 });
  const diagnosis = await run();
  expect(findingOf(diagnosis, 'wallet').detail).toBe(
    `The server at ${mock.baseURL} responds with status 503.`,
  );
});

test.each<Fault>([{ status: 503 }, { status: 403 }, { malformed: true }])(
  'a model list that could not be read (%o) is not reported as empty',
  async (fault) => {
    const { run, mock } = startMock();
    mock.fail({ route: 'GET /v1/models', ...fault });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    for (const id of ['chat', 'stream', 'image-task']) {
      expect(findingOf(diagnosis, id)).toMatchObject({
        status: 'skipped',
        detail: 'The model list could not be read.',
      });
    }
  },
);

test('a second chat whose response cannot be read is not reported as one that was not sent', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'POST /v1/chat/completions', malformed: true, attempt: 2 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(mock.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(3);
  expect(findingOf(diagnosis, 'chat')).toMatchObject({ status: 'ok' });
  expect(findingOf(diagnosis, 'chat.error')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('Invalid response'),
  });
  expect(findingAbout(diagnosis, 'A11')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('Invalid response'),
  });
  expect(mock.invoice).toHaveLength(4);
});

test.each<[string, Omit<Fault, 'route'>]>([
  ['is rejected as a conflict', { status: 409, code: 'idempotency_conflict' }],
  ['fails', { status: 500 }],
  ['is rate limited', { status: 429, code: 'rate_limit_exceeded', retryAfter: 7 }],
  ['is lost', { reset: 'after' }],
  ['gets no response', { stallHeaders: true }],
])('an image that was paid for is waited for, even if its replay %s', async (_, fault) => {
  const { run, mock } = startMock();
  mock.fail({ route: 'POST /v1/images/generations', ...fault, attempt: 2 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'image-task')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('generated an image'),
  });
  for (const id of ['A3', 'A4', 'A5', 'A6']) {
    expect(findingAbout(diagnosis, id).status).toBe('ok');
  }
  expect(findingAbout(diagnosis, 'A14')).toMatchObject({
    status: fault.status === 429 ? 'skipped' : 'warning',
    detail: expect.stringContaining('The submit could not be replayed'),
  });
  expect(findingOf(diagnosis, 'replay').status).toBe('ok');
  expect(mock.invoice.filter(({ route }) => route.includes('images'))).toHaveLength(1);
});

test('a replay that may have been charged advises to check the account', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'POST /v1/images/generations', status: 500, attempt: 2 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A14').advice).toBe('Check the charges in your account.');
  expect(diagnosis.unconfirmedUsd).toBe(0.005);
});

/** Only the model lists in the style of another API. */
const styled: Fault = {
  route: 'GET /v1/models',
  when: ({ headers }) => 'anthropic-version' in headers,
};
const pricing: Fault = { route: 'GET /v1/pricing' };

test.each<[string, string, Fault, status: string]>([
  ['models.error', 'A17', { ...styled, status: 429, retryAfter: 7 }, 'skipped'],
  ['models.error', 'A17', { ...styled, reset: 'before' }, 'failed'],
  ['public', 'A16', { ...pricing, status: 429, retryAfter: 7 }, 'skipped'],
  ['public', 'A16', { ...pricing, reset: 'before' }, 'failed'],
])(
  'the finding %s draws no conclusion about %s from an outage (%o)',
  async (id, assumption, fault, status) => {
    const { run, mock } = startMock();
    mock.fail(fault);
    const diagnosis = await run();
    const cause = fault.status === 429 ? 'Rate limited: 429' : 'The connection was lost';
    expect(findingOf(diagnosis, id)).toMatchObject({
      status,
      detail: expect.stringMatching(`^${cause}`),
    });
    const { detail } = findingAbout(diagnosis, assumption);
    expect(detail).not.toMatch(/fails with|do not respond as documented/);
  },
);

test('a model list in another style that is rejected is reported', async () => {
  const { run, mock } = startMock();
  mock.fail({ ...styled, status: 404 });
  expect(findingAbout(await run(), 'A17')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('fails with anthropic: 404'),
  });
});

test.each<Fault>([{ status: 404 }, { status: 503 }, { malformed: true }])(
  'voices do not fail because of a pricing catalog that cannot be read (%o)',
  async (fault) => {
    const { run, mock } = startMock();
    mock.fail({ ...pricing, ...fault });
    const diagnosis = await run();
    expect(idsWith(diagnosis, 'failed')).toEqual([]);
    expect(findingOf(diagnosis, 'voices').status).toBe('ok');
    expect(findingAbout(diagnosis, 'A19')).toMatchObject({
      status: 'skipped',
      detail: expect.stringMatching(/^The pricing catalog could not be read/),
    });
  },
);

test('the error of an outage is not compared with those of poll paths', async () => {
  const { run } = startMock({}, (fetch) => (input, init) => {
    const address = addressOf(input);
    const isControl = address.includes('/v1/polygate-doctor/');
    return isControl
      ? Promise.resolve(new Response(null, { status: 503 }))
      : fetch(address.replace(/videos?\/.*doctor.*/, 'none'), init);
  });
  const diagnosis = await run();
  expect(findingAbout(diagnosis, 'A1')).toMatchObject({
    status: 'skipped',
    detail: 'The error responses of the service do not show which paths exist.',
  });
  expect(optionsOf(diagnosis)).toEqual({});
});

test.each([
  [400, 'ok'],
  [401, 'skipped'],
  [500, 'skipped'],
])(
  'an endpoint that the client does not use and that returns a %i fails nothing (%s)',
  async (status, expected) => {
    const { run, mock } = startMock({ assumptions: { A20: 'off' } });
    mock.fail({ route: 'GET /v1/usage/records', status });
    const diagnosis = await run();
    expect(idsWith(diagnosis, 'failed')).toEqual([]);
    expect(findingAbout(diagnosis, 'A20').status).toBe(expected);
  },
);

test('an account record that cannot be read is no reason to skip everything', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/account', malformed: true });
  const diagnosis = await run();
  expect(findingOf(diagnosis, 'authentication')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('(status 200)'),
  });
  expect(findingOf(diagnosis, 'models').status).toBe('ok');
});

test('a rate limit shows nothing about request ids', async () => {
  const { run } = startMock({}, (fetch) => {
    let sent = 0;
    return (input, init) => {
      const isStatus = addressOf(input).endsWith('/v1/status');
      if (isStatus) sent += 1;
      return isStatus && sent > 1
        ? Promise.resolve(new Response(null, { status: 429 }))
        : fetch(input, init);
    };
  });
  expect(findingAbout(await run(), 'A10')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('Rate limited'),
  });
});
