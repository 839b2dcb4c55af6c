import { describe, expect, test } from 'vitest';

import { TaskWaitTimeoutError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import {
  clientOf,
  drain,
  errorReply,
  image,
  jsonReply,
  onMock,
  scripted,
  submitted,
  textReply,
  virtualClock,
} from '../support.ts';

const options = { headers: { 'x-tenant': 'acme' }, requestId: 'job-7' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const expected = { 'x-tenant': 'acme', 'x-request-id': 'job-7' };

/** The headers of every request that the calls send, in order. */
async function headersOf(work: (gateway: Polygate) => Promise<unknown>, durationMs = 5_000) {
  const { mock, gateway } = onMock({ tasks: { durationMs } });
  await mock.clock.settle(work(gateway));
  return mock.requests.map(({ method, headers }) => ({ method, headers }));
}

describe('polls carry the headers and the request id of', () => {
  const calls: Readonly<Record<string, (gateway: Polygate) => Promise<unknown>>> = {
    generate: (gateway) => gateway.images.generate(image, options),
    'submit, in a later wait': async (gateway) =>
      (await gateway.images.submit(image, options)).wait(),
    'submit, in later updates': async (gateway) =>
      drain((await gateway.images.submit(image, options)).updates()),
    'submit, in a later retrieve': async (gateway) =>
      (await gateway.images.submit(image, options)).retrieve(),
    'a submission': async (gateway) =>
      (await gateway.images.submission(image, options).send()).wait(),
    register: (gateway) => gateway.materials.register(material, options),
    'a batch row': (gateway) =>
      drain(gateway.batch([1], () => gateway.images.submission(image, options))),
  };
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const requests = await headersOf(call);
    expect(requests.filter(({ method }) => method === 'GET')).not.toEqual([]);
    for (const { headers } of requests) expect(headers).toMatchObject(expected);
  });
});

describe('polls carry the headers and the request id that are passed to', () => {
  const calls: Readonly<Record<string, (gateway: Polygate, id: string) => Promise<unknown>>> = {
    wait: (gateway, id) => gateway.images.wait(id, options),
    'task.wait': (gateway, id) => gateway.images.task(id).wait(options),
    'task.updates': (gateway, id) => drain(gateway.images.task(id).updates(options)),
    'task.retrieve': (gateway, id) => gateway.images.task(id).retrieve(options),
  };
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const requests = await headersOf(async (gateway) => {
      const { id } = await gateway.images.submit(image);
      await call(gateway, id);
    });
    const polls = requests.filter(({ method }) => method === 'GET');
    expect(polls).not.toEqual([]);
    for (const { headers } of polls) expect(headers).toMatchObject(expected);
  });

  test('materials.wait and materials.updates', async () => {
    const requests = await headersOf(async (gateway) => {
      const { id } = await gateway.materials.create(material);
      await gateway.materials.wait(id, options);
      await drain(gateway.materials.updates(id, options));
    });
    const polls = requests.filter(({ method }) => method === 'GET');
    for (const { headers } of polls) expect(headers).toMatchObject(expected);
  });

  test('batch and recover', async () => {
    const requests = await headersOf(async (gateway) =>
      drain(gateway.batch([1], () => gateway.images.submission(image), options)),
    );
    const polls = requests.filter(({ method }) => method === 'GET');
    expect(polls).not.toEqual([]);
    for (const { headers } of polls) expect(headers).toMatchObject(expected);
  });
});

test('a download that renews its URL polls with the headers of the submission', async () => {
  const clock = virtualClock();
  const polled: (string | null)[] = [];
  const succeeded = (path: string) =>
    jsonReply(200, { id: 'task_1', status: 'succeeded', image_url: `https://cdn.example/${path}` });
  const { fetch } = scripted(
    submitted,
    succeeded('expired.png'),
    errorReply(403),
    (sent) => {
      polled.push(sent.headers.get('x-tenant'), sent.headers.get('x-request-id'));
      return succeeded('fresh.png')(sent);
    },
    textReply(200, 'bytes'),
  );
  const gateway = clientOf(fetch, { clock });
  const generation = await clock.settle(gateway.images.generate(image, options));
  expect(await (await gateway.download(generation)).text()).toBe('bytes');
  expect(polled).toEqual(['acme', 'job-7']);
});

test('headers of a wait replace those of the submission one by one', async () => {
  const requests = await headersOf(async (gateway) => {
    const task = await gateway.images.submit(image, {
      headers: { 'x-tenant': 'acme', 'x-step': 'submit' },
    });
    await task.wait({ headers: { 'x-step': 'poll' }, requestId: 'job-8' });
  });
  expect(requests.at(-1)?.headers).toMatchObject({
    'x-tenant': 'acme',
    'x-step': 'poll',
    'x-request-id': 'job-8',
  });
});

test('a resumed task polls without the headers of its submission, which a receipt does not hold', async () => {
  const requests = await headersOf(async (gateway) => {
    const task = await gateway.images.submit(image, options);
    await gateway.resume(task.toJSON()).wait();
  });
  expect(requests.at(-1)?.headers['x-tenant']).toBeUndefined();
});

test('the polls of a submission carry no idempotency key', async () => {
  const requests = await headersOf((gateway) =>
    gateway.images.generate(image, { ...options, idempotencyKey: 'row-1' }),
  );
  for (const { method, headers } of requests) {
    expect(headers['x-idempotency-key']).toBe(method === 'POST' ? 'row-1' : undefined);
  }
});

describe('changing the options after the call does not affect the polls of', () => {
  const calls: Readonly<
    Record<string, (gateway: Polygate, given: typeof options) => Promise<unknown>>
  > = {
    generate: (gateway, given) => gateway.images.generate(image, given),
    register: (gateway, given) => gateway.materials.register(material, given),
  };
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const requests = await headersOf((gateway) => {
      const given = { headers: { 'x-tenant': 'acme' }, requestId: 'job-7' };
      const result = call(gateway, given);
      given.headers['x-tenant'] = 'not a\nheader';
      given.requestId = 'changed';
      return result;
    });
    expect(requests.at(-1)?.method).toBe('GET');
    for (const { headers } of requests) expect(headers).toMatchObject(expected);
  });
});

test('a download of the generation in a timeout error polls with the headers of the submission', async () => {
  const clock = virtualClock();
  const polled: (string | null)[] = [];
  const { fetch } = scripted(
    submitted,
    jsonReply(200, {
      id: 'task_1',
      status: 'running',
      image_url: 'https://cdn.example/preview.png',
    }),
    errorReply(403),
    (sent) => {
      polled.push(sent.headers.get('x-tenant'));
      return jsonReply(200, {
        id: 'task_1',
        status: 'running',
        image_url: 'https://cdn.example/fresh.png',
      })(sent);
    },
    textReply(200, 'bytes'),
  );
  const gateway = clientOf(fetch, { clock });
  const waiting = gateway.images.generate(image, { ...options, waitTimeout: 3_000 });
  const error = await clock.settle(waiting.catch((reason: unknown) => reason));
  if (!(error instanceof TaskWaitTimeoutError) || !error.generation) throw error;
  expect(await (await gateway.download(error.generation)).text()).toBe('bytes');
  expect(polled).toEqual(['acme']);
});
