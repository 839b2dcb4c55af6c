/** Each assumption, with the reference gateway switched to each other value: what the diagnosis says about it. */
import { optionsOf } from 'polygate/doctor';
import type { MockAssumptions, MockGatewayOptions } from 'polygate/mock';
import { expect, test } from 'vitest';

import { findingAbout, idsWith, startMock } from './diagnosed-mock.ts';

test('with the assumed behavior, nothing has to be changed', async () => {
  const { run } = startMock();
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  // Virtual time is not that of this machine.
  expect(idsWith(diagnosis, 'warning')).toEqual(['public.clock']);
  expect(optionsOf(diagnosis)).toEqual({});
  const titles = diagnosis.checks.map(({ title }) => title);
  expect(titles).toEqual([...new Set(titles)]);
  expect(idsWith(diagnosis, 'skipped')).toEqual([
    'public.webhooks',
    'materials.verification',
    'voices.currency',
    'voices.replay',
    'image-task.refund',
  ]);
});

/** A switch, what the finding about its assumption says, and the options that it recommends. */
type Row = [Partial<MockAssumptions>, status: string, detail: RegExp, option?: object];

const rows: Row[] = [
  [{ A1: 'videos' }, 'ok', /GET \/v1\/videos\/\{id\} exists/],
  [
    { A1: 'video/generations' },
    'warning',
    /but GET \/v1\/video\/generations\/\{id\} does/,
    { paths: { videoTask: '/v1/video/generations/{id}' } },
  ],
  [
    { A1: 'videos/generations' },
    'warning',
    /but GET \/v1\/videos\/generations\/\{id\} does/,
    { paths: { videoTask: '/v1/videos/generations/{id}' } },
  ],
  [{ A2: 'images/tasks' }, 'ok', /GET \/v1\/images\/tasks\/\{id\} exists/],
  [
    { A2: 'images/generations' },
    'warning',
    /but GET \/v1\/images\/generations\/\{id\} does/,
    { paths: { imageTask: '/v1/images/generations/{id}' } },
  ],
  [{ A3: 'openai' }, 'ok', /differ from audio tasks; the client reads both/],
  [{ A4: 'succeeded' }, 'ok', /"queued", .*"succeeded"/],
  [{ A4: 'raw' }, 'ok', /"SUBMITTED", .*"SUCCESS"/],
  [{ A5: 'output' }, 'ok', /The URL is in image_url/],
  [{ A6: 'data' }, 'ok', /wrapped in "data"/],
  [{ A6: 'task' }, 'ok', /wrapped in "task"/],
  [{ A7: 'finished' }, 'ok', /already finished/],
  [{ A9: 'string' }, 'warning', /a message, but no code/],
  [{ A9: 'flat' }, 'ok', /another shape than documented.* code model_not_found/],
  [{ A9: 'detail' }, 'warning', /a message, but no code/],
  [{ A9: 'success' }, 'warning', /a message, but no code/],
  [{ A9: 'html' }, 'warning', /no JSON body/],
  [{ A10: 'x-oneapi-request-id' }, 'ok', /in x-oneapi-request-id, x-request-id/],
  [{ A11: 'replay' }, 'warning', /replayed/, { retryAmbiguous: { chat: true } }],
  [{ A12: 'replay' }, 'skipped', /expensive/],
  [{ A13: 'conflict' }, 'ok', /rejected with a 409/],
  [{ A14: 'request' }, 'ok', /A running task holds no concurrency slot/],
  [{ A14: 'task' }, 'ok', /holds a concurrency slot until it ends/],
  [{ A15: 'keep' }, 'skipped', /Only a failed task/],
  [{ A20: 'on' }, 'ok', /GET \/v1\/usage\/records/],
  [{ A21: 'absent' }, 'ok', /no next_cursor/],
  [{ A22: 5 }, 'skipped', /verification of a real person/],
];

test.each(rows)('%o is reported', async (...row) => {
  const [assumptions, status, detail, option] = row;
  const [id = ''] = Object.keys(assumptions);
  const { run } = startMock({ assumptions });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, id)).toMatchObject({
    status,
    detail: expect.stringMatching(detail),
    ...(option && { option }),
  });
  expect(optionsOf(diagnosis)).toEqual(option ?? {});
  expect(diagnosis.ok).toBe(true);
});

test.each(['keep', 'refund'] as const)(
  'when the image task fails, its refund (%s) shows in the balance',
  async (A15) => {
    const { run } = startMock({ assumptions: { A15 }, tasks: { outcome: 'failed' } });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    expect(findingAbout(diagnosis, 'A15')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(A15 === 'keep' ? /shows no refund/ : /was refunded/),
    });
    expect(findingAbout(diagnosis, 'A4').detail).toContain('"failed"');
    for (const id of ['A3', 'A5', 'A6']) {
      expect(findingAbout(diagnosis, id)).toMatchObject({
        status: 'skipped',
        detail: 'No image task succeeded.',
      });
    }
  },
);

test.each<[string, MockGatewayOptions]>([
  ['The task had ended before its slot could be counted.', { assumptions: { A7: 'finished' } }],
  ['The task ended too soon to check this.', { tasks: { durationMs: 0 } }],
])('a task that has ended holds no slot: %s', async (detail, options) => {
  const diagnosis = await startMock(options).run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A14')).toMatchObject({ status: 'skipped', detail });
});

test('without spending, a poll path is found from unknown tasks', async () => {
  const { run, mock } = startMock({ assumptions: { A2: 'images/generations', A9: 'detail' } });
  const diagnosis = await run();
  expect(optionsOf(diagnosis)).toEqual({ paths: { imageTask: '/v1/images/generations/{id}' } });
  expect(mock.invoice).toEqual([]);
});

test('like the client, the doctor takes a 405 with the code of a task for a poll path that exists', async () => {
  const { run, mock } = startMock();
  const error = { code: 'task_not_found', message: 'This task does not exist' };
  mock.fail({ route: 'GET /v1/videos/{id}', status: 405, body: { error } });
  const { status, detail } = findingAbout(await run(), 'A1');
  expect([status, detail]).toEqual(['ok', 'GET /v1/videos/{id} exists.']);
});

test('where error responses do not show which paths exist, the paid task does', async () => {
  const { run } = startMock({ assumptions: { A2: 'images/generations', A9: 'html' } });
  const free = await run();
  expect(findingAbout(free, 'A2')).toMatchObject({ status: 'skipped' });
  expect(findingAbout(free, 'A1')).toMatchObject({ status: 'skipped' });
  const paid = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(paid, 'A2')).toMatchObject({
    id: 'image-task.image',
    status: 'warning',
    option: { paths: { imageTask: '/v1/images/generations/{id}' } },
  });
});

test.each([404, 405])(
  'a task that polls do not find (%i) is reported with its id',
  async (code) => {
    const { run, mock } = startMock({ assumptions: { A2: 'images/tasks', A9: 'html' } });
    mock.fail({ route: 'GET /v1/images/tasks/{id}', status: code });
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    const { status, detail, advice } = findingAbout(diagnosis, 'A2');
    expect([status, advice]).toEqual(['failed', expect.stringContaining('Set paths.imageTask')]);
    expect(mock.tasks.some(({ id }) => detail.includes(id))).toBe(true);
  },
);

test('a response to a submit that is already finished shows nothing about the wrapping of records', async () => {
  const diagnosis = await startMock({ assumptions: { A7: 'finished' } }).run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A6').status).toBe('skipped');
});

test('status values that the client does not know are reported', async () => {
  const { run } = startMock({}, (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    const text = await response.text();
    return new Response(text.replace('"status":"in_progress"', '"status":"DREAMING"'), response);
  });
  expect(findingAbout(await run({ maxSpendUsd: 0.1 }), 'A4')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('DREAMING'),
  });
});

test('a slot that the only running task holds does not stop the run', async () => {
  const { run } = startMock({ assumptions: { A14: 'task' }, concurrencyLimit: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A14').detail).toContain('holds a concurrency slot');
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingAbout(diagnosis, 'A13').status).toBe('ok');
});
