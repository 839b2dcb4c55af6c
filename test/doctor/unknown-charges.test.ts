/** Failed requests that report a charge of 0, which does not prove that they were free. */
import type { MockGateway } from 'polygate/mock';
import { expect, test } from 'vitest';

import { addressOf, findingOf, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

const chatRoute = 'POST /v1/chat/completions';
const imageRoute = 'POST /v1/images/generations';

const invoiced = ({ invoice }: MockGateway) =>
  Number(invoice.reduce((total, { usd }) => total + usd, 0).toFixed(9));

/** Reports a charge of 0 with the first response to a route. */
const firstReportsZero = (route: string): Wrap => {
  let isFirst = true;
  return (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    if (!isFirst || `POST ${new URL(addressOf(input)).pathname}` !== route) return response;
    isFirst = false;
    const headers = new Headers(response.headers);
    headers.set('x-svc-charge-usd', '0');
    return new Response(response.body, { status: response.status, headers });
  };
};

test.each([
  [chatRoute, 'chat', { status: 500, handled: true }, 'Check the charges in your account.'],
  [imageRoute, 'image-task', { status: 500, handled: true }, 'Check the charges in your account.'],
  [imageRoute, 'image-task', { malformed: true }, 'Check the charges in your account.'],
  // Another model is tried.
  [chatRoute, 'chat', { status: 503, handled: true }, undefined],
  [imageRoute, 'image-task', { status: 503, handled: true }, undefined],
] as const)(
  'an error of %s that reports a charge of 0 may have been charged (%s, %o)',
  async (route, id, fault, advice) => {
    const { run, mock } = startMock({}, firstReportsZero(route));
    mock.fail({ route, ...fault, times: 1 });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(diagnosis.unconfirmedUsd).toBeGreaterThan(0);
    const possibleUsd = diagnosis.spentUsd + (diagnosis.unconfirmedUsd ?? 0);
    expect(possibleUsd).toBeGreaterThanOrEqual(invoiced(mock));
    expect(findingOf(diagnosis, id).advice).toBe(advice);
  },
);

test('a stream that is cut off counts at its listed price if its headers report a charge of 0', async () => {
  const { run, mock } = startMock({}, (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    const isStream = typeof init?.body === 'string' && init.body.includes('"stream":true');
    if (!isStream) return response;
    const headers = new Headers(response.headers);
    headers.set('x-svc-charge-usd', '0');
    return new Response(response.body, { status: response.status, headers });
  });
  mock.fail({ route: chatRoute, cutStreamAfter: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'stream').status).toBe('failed');
  const possibleUsd = diagnosis.spentUsd + (diagnosis.unconfirmedUsd ?? 0);
  expect(possibleUsd).toBeGreaterThanOrEqual(invoiced(mock));
});
