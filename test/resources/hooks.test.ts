import { describe, expect, test } from 'vitest';

import { HookError } from '../../src/index.ts';
import type { Hooks, Polygate } from '../../src/index.ts';
import { runImageBatch } from '../client/batch/support.ts';
import { clientOf, drain, image, jsonReply, onMock, scripted } from '../client/support.ts';
import { allCalls } from '../support/calls.ts';
import { rejection } from '../support/rejection.ts';

/** The reference gateway, and a client whose hooks record the requests that they see. */
function watched() {
  const { mock, gateway: plain } = onMock();
  const state: { requests: string[]; responses: string[] } = { requests: [], responses: [] };
  const hook =
    (list: string[]) =>
    ({ request }: { request: Request }) => {
      list.push(`${request.method} ${new URL(request.url).pathname}`);
    };
  const hooks: Hooks = {
    beforeRequest: [hook(state.requests)],
    afterResponse: [hook(state.responses)],
  };
  return { mock, state, gateway: plain.withOptions({ hooks }), plain };
}

describe('hooks run once per attempt', () => {
  test.each(allCalls.map(({ sent, call }) => [sent, call] as const))(
    'of %s',
    async (sent, call) => {
      const { mock, gateway, state } = watched();
      await mock.clock.settle(Promise.allSettled([call(gateway)]));
      expect(state.requests).toContain(sent);
      expect(state.requests).toEqual(mock.requests.map(({ method, path }) => `${method} ${path}`));
      expect(state.responses).toEqual(state.requests);
    },
  );

  test('of retries, waits for a slot, and polls', async () => {
    const { mock, gateway, state } = watched();
    const route = 'POST /v1/images/tasks';
    mock.fail({ route, status: 500, times: 1 });
    mock.fail({ route, status: 429, code: 'concurrency_limit_exceeded', attempt: 2 });
    mock.fail({ route, reset: 'before', attempt: 3 });
    await mock.clock.settle(gateway.images.generate(image));
    const sent = mock.requests.map(({ method, path }) => `${method} ${path}`);
    expect(sent.filter((name) => name === route)).toHaveLength(4);
    expect(sent.filter((name) => name.startsWith('GET')).length).toBeGreaterThan(1);
    expect(state.requests).toEqual(sent);
    // The reset has no response.
    expect(state.responses).toHaveLength(sent.length - 1);
  });

  test('of materials that are registered', async () => {
    const { mock, gateway, state } = watched();
    const material = { url: 'https://files.example/a.png', type: 'image' as const };
    await mock.clock.settle(gateway.materials.register(material));
    expect(state.requests).toEqual(mock.requests.map(({ method, path }) => `${method} ${path}`));
    expect(state.requests.length).toBeGreaterThan(1);
  });

  test('but not of downloads, except for the poll that renews an expired URL', async () => {
    const urls: string[] = [];
    const headers: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      urls.push(request.url);
      headers.push(request.headers.get('x-tenant'));
      if (request.url.includes('/v1/')) {
        const result = { url: 'https://files.example/new.png' };
        return Response.json({
          id: 'task_1',
          status: 'succeeded',
          data: [result],
          result,
          url: result.url,
        });
      }
      return new Response('frames', { status: request.url.includes('old') ? 403 : 200 });
    };
    const seen: string[] = [];
    const beforeRequest: Hooks['beforeRequest'] = [
      ({ request }) => {
        seen.push(request.url);
        request.headers.set('x-tenant', 'ann');
      },
    ];
    const gateway = clientOf(fetch, { hooks: { beforeRequest } });
    expect(await (await gateway.download('https://files.example/a.png')).text()).toBe('frames');
    expect(seen).toEqual([]);

    const old = { kind: 'image' as const, id: 'task_1', urls: ['https://files.example/old.png'] };
    const response = await gateway.download(old as never);
    expect(await response.text()).toBe('frames');
    expect(urls.slice(1).map((url) => new URL(url).pathname)).toEqual([
      '/old.png',
      '/v1/images/tasks/task_1',
      '/new.png',
    ]);
    expect(seen).toEqual([urls[2]]);
    expect(headers).toEqual([null, null, 'ann', null]);
  });
});

const cause = new Error('Broken');

/** A hook that throws for requests that match. */
function throwing(part: 'requests' | 'responses', broken: RegExp): Hooks {
  const hook = ({ request }: { request: Request }) => {
    if (broken.test(`${request.method} ${new URL(request.url).pathname}`)) throw cause;
  };
  return part === 'requests' ? { beforeRequest: [hook] } : { afterResponse: [hook] };
}

describe('a HookError in a poll', () => {
  const polls = /^GET \/v1\/images\/tasks/;

  test.each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['wait()', async (gateway) => (await gateway.images.submit(image)).wait()],
    ['updates()', async (gateway) => drain((await gateway.images.submit(image)).updates())],
    ['retrieve()', async (gateway) => (await gateway.images.submit(image)).retrieve()],
    ['generate()', (gateway) => gateway.images.generate(image)],
  ])('ends %s without another poll, and carries the task', async (_, call) => {
    for (const part of ['requests', 'responses'] as const) {
      const { mock, gateway: plain } = onMock();
      const hooks = throwing(part, polls);
      const error = await rejection(
        HookError,
        mock.clock.settle(call(plain.withOptions({ hooks }))),
      );
      expect(error.cause).toBe(cause);
      expect(error.message).toContain('is not lost: continue with error.task.wait()');
      const sent = mock.requests.filter(({ method }) => method === 'GET');
      expect(sent).toHaveLength(part === 'requests' ? 0 : 1);
      expect(mock.invoice).toHaveLength(1);
      const receipt = JSON.parse(JSON.stringify(error.task));
      const generation = await mock.clock.settle(plain.resume(receipt).wait());
      expect(generation.status).toBe('succeeded');
    }
  });

  test('of one batch row leaves the others unharmed', async () => {
    const { mock, gateway } = onMock();
    let failed = false;
    const afterResponse: Hooks['afterResponse'] = [
      ({ request }) => {
        if (failed || request.method !== 'GET') return;
        failed = true;
        throw cause;
      },
    ];
    const hooked = gateway.withOptions({ hooks: { afterResponse } });
    const rows = await runImageBatch({ mock, gateway: hooked }, ['A', 'B', 'C']);
    expect(rows.map(({ status }) => status).toSorted()).toEqual([
      'succeeded',
      'succeeded',
      'unknown',
    ]);
    const row = rows.find(({ status }) => status === 'unknown');
    const error = row?.error;
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ cause, task: { kind: 'image' } });
    expect(mock.invoice).toHaveLength(3);
  });

  test('of a material ends register()', async () => {
    const { mock, gateway } = onMock();
    const hooks = throwing('requests', /^GET \/v1\/materials\//);
    const material = { url: 'https://files.example/a.png', type: 'image' as const };
    const call = gateway.withOptions({ hooks }).materials.register(material);
    const error = await rejection(HookError, mock.clock.settle(call));
    expect(error.cause).toBe(cause);
    expect(mock.requests).toHaveLength(1);
  });
});

test('a hook that replaces the body of a submit keeps the poll path and the delay of the service', async () => {
  const headers = { location: '/v1/other/tasks/task_1', 'retry-after': '7' };
  const { fetch, sent } = scripted(
    jsonReply(202, { id: 'task_1', status: 'queued' }, headers),
    jsonReply(200, { id: 'task_1', status: 'succeeded', url: 'https://files.example/a.png' }),
  );
  const { clock } = onMock().mock;
  const afterResponse = [
    async ({ response }: { response: Response }) => Response.json(await response.json()),
  ];
  const gateway = clientOf(fetch, { clock, hooks: { afterResponse } });
  const startedAt = clock.now();
  await clock.settle(gateway.images.generate(image));
  expect(sent[1]?.url).toBe('https://gateway.example/v1/other/tasks/task_1');
  expect(clock.now() - startedAt).toBe(7_000);
});
