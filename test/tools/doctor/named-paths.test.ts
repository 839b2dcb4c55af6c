/** What the diagnosis says if the response to a submit names the poll path of its task. */
import { Polygate } from 'polygate';
import { optionsOf } from 'polygate/doctor';
import { expect, test } from 'vitest';

import { addressOf, findingAbout, findingOf, idsWith, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

/** Names another path for the polls of images, and serves them only there. */
const naming =
  (path: (id: string) => string): Wrap =>
  (fetch, { baseURL }) => {
    const ids = new Map<string, string>();
    return async (input, init) => {
      const url = new URL(addressOf(input));
      const id = ids.get(url.pathname + url.search);
      if (id !== undefined) return fetch(`${baseURL}/v1/images/tasks/${id}`, init);
      const isPoll = init?.method === 'GET' && url.pathname.startsWith('/v1/images/');
      if (isPoll) return fetch(`${baseURL}/v1/unknown`, init);
      const response = await fetch(input, init);
      if (response.status !== 202) return response;
      const { poll_url: _, ...record } = await response.json();
      const named = path(record.id);
      ids.set(named, record.id);
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      headers.set('location', named);
      return Response.json(record, { status: 202, headers });
    };
  };

test('a named path at which receipts do not find the task becomes the poll path', async () => {
  const { base, run } = startMock(
    {},
    naming((id) => `/v1/jobs/${id}`),
  );
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  const option = { paths: { imageTask: '/v1/jobs/{id}' } };
  expect(findingAbout(diagnosis, 'A2')).toMatchObject({
    id: 'image-task.image',
    status: 'failed',
    detail:
      'The submit names /v1/jobs/{id} as the path of its task. A receipt does not contain it, and GET /v1/images/tasks/{id} does not return the task.',
    advice: expect.stringContaining('Set paths.imageTask.'),
    option,
  });
  expect(optionsOf(diagnosis)).toEqual(option);
  expect(idsWith(diagnosis, 'failed')).toEqual(['image-task.image']);
  expect(findingAbout(diagnosis, 'A6')).toMatchObject({
    status: 'ok',
    detail: 'Task records are not wrapped.',
  });
  const again = await run({ maxSpendUsd: 0.1 }, new Polygate({ ...base, ...option }));
  expect(optionsOf(again)).toEqual({});
  expect(idsWith(again, 'failed')).toEqual([]);
  expect(findingAbout(again, 'A2').detail).toMatch(/^GET \/v1\/jobs\/\{id\} (exists|returns)/);
});

test.each<[string, (id: string) => string]>([
  ['has no id', () => '/v1/jobs/7'],
  ['has a query', (id) => `/v1/jobs/${id}?part=1`],
])('a named path that %s is reported without an option', async (_, path) => {
  const { run } = startMock({}, naming(path));
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A2')).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/^The submit names \/v1\/jobs\/\S+ as the path of its task/),
    advice: expect.stringContaining('the operator'),
  });
  expect(optionsOf(diagnosis)).toEqual({});
  expect(findingAbout(diagnosis, 'A6').status).toBe('ok');
});

test('a named path that the client only tries second becomes the poll path', async () => {
  const { run } = startMock({ assumptions: { A2: 'images/generations', A9: 'html' } }, (fetch) => {
    return async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 202) return response;
      const { id } = await response.clone().json();
      const headers = new Headers(response.headers);
      headers.set('location', `/v1/images/generations/${id}`);
      return new Response(response.body, { status: 202, headers });
    };
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A2')).toMatchObject({
    status: 'warning',
    option: { paths: { imageTask: '/v1/images/generations/{id}' } },
  });
});

test('a named path is enough if the assumed one returns the task as well', async () => {
  const { run } = startMock({ assumptions: { A9: 'html' } }, (fetch, { baseURL }) => {
    return async (input, init) => {
      const address = addressOf(input).replace('/v1/jobs/', '/v1/images/tasks/');
      const response = await fetch(address, init);
      if (response.status !== 202) return response;
      const text = await response.text();
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      headers.delete('location');
      const named = text.replace(`${baseURL}/v1/images/tasks/`, `${baseURL}/v1/jobs/`);
      return new Response(named, { status: 202, headers });
    };
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A2')).toMatchObject({
    status: 'ok',
    detail: 'GET /v1/images/tasks/{id} returns the task.',
  });
  expect(optionsOf(diagnosis)).toEqual({});
});

test('an outage does not show whether a receipt leads to the task', async () => {
  const service = naming((id) => `/v1/jobs/${id}`);
  const { run } = startMock({}, (fetch, mock) => {
    const send = service(fetch, mock);
    let isPaid = false;
    return (input, init) => {
      isPaid ||= init?.method === 'POST' && addressOf(input).includes('/v1/images/');
      const isLost = isPaid && init?.method === 'GET' && addressOf(input).includes('/v1/images/');
      return isLost ? Promise.resolve(new Response(null, { status: 500 })) : send(input, init);
    };
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A2')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('500'),
  });
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingOf(diagnosis, 'image-task').status).toBe('ok');
});
