/** Requests whose charge is not known: what a diagnosis says about it. `test/long` has many combinations of them. */
import type { Fault } from 'polygate/mock';
import { expect, test } from 'vitest';

import { findingAbout, findingOf, invoicedUsd, possibleUsd, startMock } from './diagnosed-mock.ts';
import { withHeaders, withoutKeys } from './wraps.ts';

const chatRoute = 'POST /v1/chat/completions';
const imageRoute = 'POST /v1/images/generations';
const defaultRoute = 'POST /v1/images/tasks';

const checkCharges = 'Check the charges in your account.';

const charge = 'x-svc-charge-usd';
const mark = 'x-svc-idempotent-replay';
const zero = { [charge]: '0' };

type Changes = Record<string, string | null>;

test('a replay of an image that cannot be read may be another image', async () => {
  const changed = withHeaders(imageRoute, { ...zero, [mark]: 'true' }, 2);
  const { run, mock } = startMock({}, (fetch, gateway) =>
    changed(withoutKeys(fetch, gateway), gateway),
  );
  mock.fail({ route: imageRoute, malformed: true, attempt: 2 });
  const diagnosis = await run({ maxSpendUsd: 0.0103 });
  expect(invoicedUsd(mock)).toBeLessThanOrEqual(0.0103);
  expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
  expect(findingAbout(diagnosis, 'A14').advice).toBe(checkCharges);
});

test('another image counts, even if its response is marked as a replay', async () => {
  const changed = withHeaders(imageRoute, { [mark]: 'true' }, 2);
  const { run, mock } = startMock({}, (fetch, gateway) =>
    changed(withoutKeys(fetch, gateway), gateway),
  );
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(mock.invoice.filter(({ route }) => route.includes('image'))).toHaveLength(2);
  expect(diagnosis.spentUsd).toBe(invoicedUsd(mock));
});

test('a route that does not exist, but reports a charge, is counted, and its request is not sent over another one', async () => {
  const { run, mock } = startMock();
  const response = { status: 404, headers: { [charge]: '0.004' }, handled: true } as const;
  mock.fail({ route: imageRoute, ...response, times: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  const posts = mock.requests.filter(({ method, path }) => method === 'POST' && /image/.test(path));
  expect(posts[1]?.path).toBe('/v1/images/generations');
  expect(diagnosis.spentUsd).toBeGreaterThan(0.004);
});

test.each([
  [zero, 'warning', 'The response reports a charge of $0.00, although aurora-chat has a price.'],
  [{ [charge]: null }, 'failed', 'The response reports no charge,'],
])(
  'a chat whose response reports no charge (%o) is not said to be free',
  async (changes, status, start) => {
    const { run } = startMock({}, withHeaders(chatRoute, changes));
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    const { detail, advice, ...finding } = findingOf(diagnosis, 'chat.charge');
    expect(finding.status).toBe(status);
    expect(detail.startsWith(start)).toBe(true);
    expect(detail).toMatch(/It may have cost \$0\.0000\d+\.$/);
    expect(advice?.endsWith(` ${checkCharges}`)).toBe(true);
    expect(findingAbout(diagnosis, 'A8').detail).toContain('responded, charged an unknown amount.');
    expect(findingAbout(diagnosis, 'A11').detail).toContain('is not marked as a replay');
    expect(diagnosis.checks.filter(({ id }) => id.endsWith('.charge'))).toHaveLength(1);
  },
);

test('an image whose response reports no charge is not said to have one', async () => {
  const { run } = startMock({}, withHeaders(imageRoute, { [charge]: null }));
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'image-task').detail).toMatch(
    /generated an image for an unknown amount\.$/,
  );
});

test('a charge that is missing and one that is too high are two findings', async () => {
  const missing = withHeaders(chatRoute, { [charge]: null }, 1);
  const tooHigh = withHeaders(chatRoute, { [charge]: '0.02' }, 2);
  const { run } = startMock({}, (fetch, gateway) => tooHigh(missing(fetch, gateway), gateway));
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'chat.charge').detail).toContain('reports no charge');
  expect(findingOf(diagnosis, 'chat.price').detail).toContain('charged $0.02');
});

/** A finding about a request that may have been charged, and what its response reports instead, if one arrives. */
type Row = [id: string, status: string, fault: Fault, changes?: Changes];

const lostConflict = { status: 409, truncateBody: 5 };

const rows: Row[] = [
  ['chat', 'failed', { route: chatRoute, reset: 'after', times: 1 }],
  ['chat', 'failed', { route: chatRoute, status: 500, handled: true, times: 1 }],
  ['chat', 'failed', { route: chatRoute, status: 500, handled: true, times: 1 }, zero],
  ['chat', 'failed', { route: chatRoute, malformed: true, times: 1 }, zero],
  ['chat.error', 'failed', { route: chatRoute, reset: 'after', attempt: 2 }],
  ['stream', 'failed', { route: chatRoute, reset: 'after', attempt: 3 }],
  ['image-task', 'failed', { route: imageRoute, status: 500, handled: true, times: 1 }],
  ['image-task', 'failed', { route: imageRoute, status: 500, handled: true, times: 1 }, zero],
  ['image-task', 'failed', { route: imageRoute, malformed: true, times: 1 }, zero],
  ['image-task.slot', 'warning', { route: imageRoute, status: 500, attempt: 2 }],
  ['replay.error', 'failed', { route: defaultRoute, status: 500 }],
  ['replay.error', 'failed', { route: defaultRoute, ...lostConflict }],
  ['conflict', 'failed', { route: imageRoute, reset: 'after', attempt: 3 }],
  ['conflict', 'warning', { route: imageRoute, status: 500, attempt: 3 }],
  ['conflict', 'warning', { route: imageRoute, status: 500, attempt: 3 }, zero],
  ['conflict', 'warning', { route: imageRoute, ...lostConflict, attempt: 3 }],
];

test.each(rows)(
  'the finding %s (%s) after a request that may have been charged (%o) says so',
  async (...row) => {
    const [id, status, fault, changes = {}] = row;
    const { route = '', attempt = 1 } = fault;
    const { run, mock } = startMock({}, withHeaders(route, changes, Number(attempt)));
    mock.fail(fault);
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(diagnosis.unconfirmedUsd).toBeGreaterThan(0);
    expect(findingOf(diagnosis, id)).toMatchObject({ status, advice: checkCharges });
    const advised = diagnosis.checks.filter(({ advice }) => advice?.includes('the charges'));
    expect(advised.map((finding) => finding.id)).toEqual([id]);
  },
);

test.each([chatRoute, imageRoute])(
  'a 503 of %s was not charged, unless its body was cut off, and another model is tried',
  async (route) => {
    const id = route === chatRoute ? 'chat' : 'image-task';
    const { run, mock } = startMock();
    mock.fail({ route, status: 503, times: 1 });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(diagnosis.unconfirmedUsd).toBeUndefined();
    expect(findingOf(diagnosis, id).status).toBe('ok');
    expect(diagnosis.spentUsd).toBe(invoicedUsd(mock));

    const lossy = startMock();
    lossy.mock.fail({ route, status: 503, handled: true, truncateBody: 5, times: 1 });
    const lost = await lossy.run({ maxSpendUsd: 0.1 });
    expect(lost.unconfirmedUsd).toBeGreaterThan(0);
    expect(findingOf(lost, id).status).toBe('ok');
    expect(possibleUsd(lost)).toBeGreaterThanOrEqual(invoicedUsd(lossy.mock));
  },
);

test('a stream that is cut off, and whose headers report a charge of 0, may have been charged', async () => {
  const { run, mock } = startMock({}, withHeaders(chatRoute, zero, 3));
  mock.fail({ route: chatRoute, cutStreamAfter: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  const { status, advice } = findingOf(diagnosis, 'stream');
  expect(status).toBe('failed');
  expect(advice).toMatch(
    /Every stream of the client then fails\. Check the charges in your account\.$/,
  );
  expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
});

test('a reused key that returns the original task, but reports a charge, is reported', async () => {
  const { run } = startMock({}, withHeaders(imageRoute, { [charge]: '0.005', [mark]: null }, 3));
  expect(findingAbout(await run({ maxSpendUsd: 0.1 }), 'A13')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('returns the original task, but reports a charge'),
  });
});
