/** What the diagnosis says about what it has paid for if a later request fails. */
import type { Fault } from 'polygate/mock';
import { expect, test } from 'vitest';

import { addressOf, findingAbout, findingOf, idsWith, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

test.each([
  [503, '{}', /503/],
  [200, '<html>', /as it was sent/],
])(
  'a record that cannot be read again (%i %s) does not make an image that succeeded fail',
  async (status, body, detail) => {
    const { run } = startMock({}, (fetch) => {
      let hasEnded = false;
      return async (input, init) => {
        const isPoll = init?.method === 'GET' && addressOf(input).includes('/v1/images/tasks/');
        if (isPoll && hasEnded) return new Response(body, { status });
        const response = await fetch(input, init);
        if (!isPoll) return response;
        const text = await response.text();
        hasEnded = text.includes('"completed"');
        return new Response(text, response);
      };
    });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(idsWith(diagnosis, 'failed')).toEqual([]);
    expect(findingAbout(diagnosis, 'A6')).toMatchObject({
      status: 'skipped',
      detail: expect.stringMatching(detail),
    });
  },
);

/** Rejects every request for the account, as a proxy does, once an image was submitted or from the start. */
const hidesAccount =
  (since: 'start' | 'image'): Wrap =>
  (fetch) => {
    let isHidden = since === 'start';
    return (input, init) => {
      isHidden ||= addressOf(input).includes('/v1/images/generations');
      const isAccount = addressOf(input).endsWith('/v1/account');
      return isAccount && isHidden
        ? Promise.resolve(Response.json({ error: { code: 'forbidden' } }, { status: 403 }))
        : fetch(input, init);
    };
  };

test.each(['start', 'image'] as const)(
  'without an account that can be read (since the %s), nothing is said about a refund',
  async (since) => {
    const { run } = startMock({ tasks: { outcome: 'failed' } }, hidesAccount(since));
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(idsWith(diagnosis, 'failed')).toEqual([]);
    expect(findingAbout(diagnosis, 'A15').status).toBe('skipped');
  },
);

test('a chat whose reused key is rejected is no failure', async () => {
  const { run, mock } = startMock();
  const fault = { status: 409, code: 'idempotency_conflict', attempt: 2, times: 1 };
  mock.fail({ route: 'POST /v1/chat/completions', ...fault });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingAbout(diagnosis, 'A11')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('409'),
  });
});

test('a service that remembers the key of a rejected chat accepts one with the next model', async () => {
  const rejectedKeys = new Set<string | null>();
  const { run } = startMock({}, (fetch) => async (input, init) => {
    if (!addressOf(input).endsWith('/v1/chat/completions')) return fetch(input, init);
    const key = new Headers(init?.headers).get('x-idempotency-key');
    const reject = (status: number, code: string) => Response.json({ error: { code } }, { status });
    if (rejectedKeys.has(key)) return reject(409, 'idempotency_conflict');
    if (rejectedKeys.size > 0) return fetch(input, init);
    rejectedKeys.add(key);
    return reject(404, 'model_not_found');
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect([...rejectedKeys]).toEqual([expect.any(String)]);
  expect(findingAbout(diagnosis, 'A8').status).toBe('ok');
  expect(findingAbout(diagnosis, 'A11').status).toBe('ok');
  expect(findingAbout(diagnosis, 'A11').detail).toContain('A chat with a reused key');
});

test.each<[Fault, status: string]>([
  [{ status: 503 }, 'failed'],
  [{ status: 429 }, 'skipped'],
])('polls that all fail (%o) are not reported as a task that takes long', async (fault, status) => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/images/tasks/{id}', ...fault });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  const found = findingOf(diagnosis, 'image-task');
  expect(found).toMatchObject({
    status,
    detail: expect.stringMatching(/^Task \S+ was accepted, but no poll has succeeded .*(503|429)/),
  });
  expect(found.advice ?? '').not.toContain('waitTimeout');
});
