/** What a diagnosis says where a request has failed: nothing that the request did not show. */
import { Polygate } from 'polygate';
import { diagnose } from 'polygate/doctor';
import { createMockGateway } from 'polygate/mock';
import type { Fault, MockGatewayOptions } from 'polygate/mock';
import { expect, test } from 'vitest';

import { addressOf, findingAbout, findingOf, startMock } from './diagnosed-mock.ts';
import { chargesReplays, hidesChats, withoutKeys, withVideoPath } from './wraps.ts';

const chatRoute = 'POST /v1/chat/completions';
const imageRoute = 'POST /v1/images/generations';

test.each<Fault>([{ status: 429 }, { status: 402 }, { status: 500 }, { reset: 'after' }])(
  'a chat that has failed (%o) is not reported as one that the service did not accept',
  async (fault) => {
    const { run, mock } = startMock();
    mock.fail({ route: chatRoute, ...fault });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(findingOf(diagnosis, 'stream')).toMatchObject({
      status: 'skipped',
      detail: 'No chat has succeeded, so no model is known to stream with.',
    });
  },
);

test('an image whose response was lost is not reported as one that was not submitted', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: imageRoute, reset: 'after' });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(mock.invoice.some(({ route }) => route.includes('image'))).toBe(true);
  for (const id of ['replay', 'conflict']) {
    const { status, detail } = findingOf(diagnosis, id);
    expect(status).toBe('skipped');
    expect(detail).not.toMatch(/No image was submitted/);
  }
});

test('a long message of the service does not hide that a request may have been charged', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: chatRoute, status: 500, message: 'out of order '.repeat(100) });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  const { detail } = findingOf(diagnosis, 'chat');
  expect(detail).toContain('The request may have been charged');
  expect(detail).toContain(`[${chatRoute}`);
  expect(detail.length).toBeLessThan(600);
});

test('a refund is not derived from a balance that a lost response may have changed', async () => {
  const { run, mock } = startMock({ tasks: { outcome: 'failed' }, assumptions: { A15: 'refund' } });
  mock.fail({ route: chatRoute, reset: 'after', times: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(diagnosis.unconfirmedUsd).toBeGreaterThan(0);
  expect(findingAbout(diagnosis, 'A15')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('may have been charged, too'),
  });
});

test.each(['keep', 'refund'] as const)(
  'nor from one that a charge which no response reported may have changed (%s)',
  async (A15) => {
    const { run } = startMock({ tasks: { outcome: 'failed' }, assumptions: { A15 } }, hidesChats);
    const diagnosis = await run({ maxSpendUsd: 1 });
    expect(diagnosis).toMatchObject({ spentUsd: 0.005 });
    expect(diagnosis.unconfirmedUsd).toBeGreaterThan(0);
    expect(findingAbout(diagnosis, 'A15')).toMatchObject({
      status: 'skipped',
      detail: expect.stringContaining('reported no charge'),
    });
  },
);

test.each(['keep', 'refund'] as const)(
  'nor if a replay reports the charge of the task again (%s)',
  async (A15) => {
    const options: MockGatewayOptions = { tasks: { outcome: 'failed' }, assumptions: { A15 } };
    const { run, mock } = startMock(options, chargesReplays);
    const diagnosis = await run({ maxSpendUsd: 1 });
    const charges = mock.invoice.filter(({ route, usd }) => route.includes('image') && usd > 0);
    expect(charges).toHaveLength(1);
    expect(findingOf(diagnosis, 'replay').detail).toContain('reports its charge again');
    expect(findingAbout(diagnosis, 'A15')).toMatchObject({
      status: 'skipped',
      detail: expect.stringContaining('another charge'),
    });
  },
);

test('a replay that creates another task shows nothing about the slot of the first', async () => {
  const { run } = startMock({}, withoutKeys);
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'replay').status).toBe('failed');
  expect(findingAbout(diagnosis, 'A14')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('another task'),
  });
});

test.each([500, 429])('a status %d does not show that an endpoint is missing', async (status) => {
  const { run, mock } = startMock({ assumptions: { A20: 'off' } });
  mock.fail({ route: 'GET /v1/usage/records', status });
  const finding = findingAbout(await run(), 'A20');
  expect(finding.status).toBe('skipped');
  expect(finding.detail).toContain(String(status));
});

test('a document that could not be read once is read again', async () => {
  let failures = 2;
  const { run } = startMock({}, (fetch, mock) => {
    const service = withVideoPath('/v1/jobs')(fetch, mock);
    return (input, init) => {
      const isLost = addressOf(input).endsWith('/openapi.json') && failures > 0;
      if (!isLost) return service(input, init);
      failures -= 1;
      return Promise.resolve(new Response(null, { status: 500 }));
    };
  });
  const { detail } = findingOf(await run(), 'openapi');
  expect(failures).toBe(0);
  expect(detail).toMatch(/^The document lists \d+ operations/);
});

test('the result is downloaded with the fetch of the client', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  const { apiKey, fetch } = mock;
  // No server listens at this port.
  const baseURL = 'http://localhost:1';
  const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
  const finding = findingOf(await diagnose({ gateway, maxSpendUsd: 0.1 }), 'download');
  expect(finding.detail).toMatch(/^The image has \d+ bytes/);
});

test.each([
  '/v1/video jobs/{id}',
  '/v1/videos/../tasks/{id}',
  '/v1/video?of={id}/{id}',
  '\\\\videos/{id}',
])(
  'a path in the document that cannot be requested (%s) does not hide the poll path',
  async (path) => {
    const { run } = startMock({}, (fetch) => async (input, init) => {
      const url = new URL(addressOf(input));
      if (url.pathname.endsWith('/openapi.json')) {
        return Response.json({ openapi: '3.1.0', paths: { [path]: { get: {} } } });
      }
      // Videos are polled only at a path that the client does not try, and the doctor tries last.
      const tasks = url.pathname.replace('/v1/videos/tasks/', '/v1/videos/');
      if (tasks !== url.pathname) url.pathname = tasks;
      else if (init?.method === 'GET') url.pathname = tasks.replace(/videos?/, 'missing');
      return fetch(url, init);
    });
    expect(findingAbout(await run(), 'A1')).toMatchObject({
      status: 'warning',
      option: { paths: { videoTask: '/v1/videos/tasks/{id}' } },
    });
  },
);
