/** What the diagnosis says about a service that fails now and then. */
import { optionsOf } from 'polygate/doctor';
import type { Fault } from 'polygate/mock';
import { expect, test } from 'vitest';

import { findingAbout, findingOf, idsWith, startMock } from './diagnosed-mock.ts';

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
