/** The options that a diagnosis recommends, applied: the real calls work better with them than without. */
import { ConnectionError, NotFoundError, Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { diagnose, optionsOf } from 'polygate/doctor';
import type { MockAssumptions, MockGateway } from 'polygate/mock';
import { expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { findingAbout, findingOf, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';
import { withPrefix, withRequestIdHeader, withVideoPath } from './wraps.ts';

const image = { model: 'prism-sketch', prompt: 'A harbor' };
const video = { model: 'tide-video', prompt: 'A harbor', duration: 5 };
const messages = [{ role: 'user' as const, content: 'Hello' }];

/** Diagnoses a service, then returns clients with and without the options, each for a service of its own. */
async function diagnosed(assumptions: Partial<MockAssumptions>, wrap?: Wrap, maxSpendUsd?: number) {
  const { run } = startMock({ assumptions }, wrap);
  const diagnosis = await run({ maxSpendUsd });
  const start = (options: PolygateOptions) => {
    const { mock, base } = startMock({ assumptions }, wrap);
    return { mock, gateway: new Polygate({ ...base, ...options }) };
  };
  return { diagnosis, before: start({}), after: start(optionsOf(diagnosis)) };
}

/** Number of polls that the service did not find. */
const failedPolls = ({ requests }: MockGateway) =>
  requests.filter(({ method, status }) => method === 'GET' && status === 404).length;

test.each(['video/generations', 'videos/generations'] as const)(
  'paths.videoTask saves the failing polls of a service with %s',
  async (A1) => {
    const { before, after } = await diagnosed({ A1 });
    for (const { mock, gateway } of [before, after]) {
      const done = await mock.clock.settle(gateway.videos.generate(video));
      expect(done.status).toBe('succeeded');
    }
    expect(failedPolls(before.mock)).toBeGreaterThan(0);
    expect(failedPolls(after.mock)).toBe(0);
  },
);

test('paths.videoTask finds videos at a path that only the service documents', async () => {
  const wrap = withVideoPath('/v1/film/jobs');
  const { diagnosis, before, after } = await diagnosed({}, wrap);
  expect(findingAbout(diagnosis, 'A1').advice).toContain('does not find its tasks');
  const lost = before.mock.clock.settle(before.gateway.videos.generate(video));
  await rejection(NotFoundError, lost);
  const done = await after.mock.clock.settle(after.gateway.videos.generate(video));
  expect(done.status).toBe('succeeded');
});

test('paths.imageTask saves the failing polls of image generations', async () => {
  const { before, after } = await diagnosed({ A2: 'images/generations' });
  for (const { mock, gateway } of [before, after]) {
    const generated = gateway.images.generate(image, { route: 'generations' });
    expect((await mock.clock.settle(generated)).status).toBe('succeeded');
  }
  expect(failedPolls(before.mock)).toBeGreaterThan(0);
  expect(failedPolls(after.mock)).toBe(0);
});

test('headerPrefix makes the client count its charges, including those of the diagnosis', async () => {
  const wrap = withPrefix('x-acme-');
  const { diagnosis, before, after } = await diagnosed({}, wrap, 0.1);
  expect(findingOf(diagnosis, 'header-prefix')).toMatchObject({
    status: 'warning',
    option: { headerPrefix: 'x-acme-' },
  });
  expect(diagnosis.spentUsd).toBeGreaterThan(0.005);
  expect(diagnosis.checks.some(({ id }) => id.endsWith('.charge'))).toBe(false);
  for (const { mock, gateway } of [before, after]) {
    await mock.clock.settle(gateway.images.generate(image));
  }
  expect(before.gateway.spend.totalUsd).toBe(0);
  expect(after.gateway.spend.totalUsd).toBe(0.005);
});

test("requestIdHeader brings the caller's request ids to the service", async () => {
  const wrap = withRequestIdHeader('x-acme-request-id');
  const { before, after } = await diagnosed({}, wrap);
  const [without, withOption] = await Promise.all(
    [before, after].map(async ({ gateway }) => {
      const { meta } = await gateway.models.list({}, { requestId: 'mine' }).withResponse();
      return meta.requestId;
    }),
  );
  expect(without).toBeUndefined();
  expect(withOption).toBe('mine');
});

test('retryAmbiguous.chat recovers from a lost response, without a second charge', async () => {
  const { before, after } = await diagnosed({ A11: 'replay' }, undefined, 0.1);
  const chats = [before, after].map(({ mock, gateway }) => {
    mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
    return mock.clock.settle(gateway.chat.completions.create({ model: 'aurora-chat', messages }));
  });
  await rejection(ConnectionError, chats[0] ?? Promise.resolve());
  expect((await chats[1])?.choices).toHaveLength(1);
  expect(after.mock.invoice).toHaveLength(1);
});

test('baseURL leads to the gateway that is at the origin', async () => {
  const { mock, base, run } = startMock();
  const wrong = { ...base, baseURL: `${mock.baseURL}/gateway` };
  const diagnosis = await run({}, new Polygate(wrong));
  expect(optionsOf(diagnosis)).toEqual({ baseURL: mock.baseURL });
  await rejection(NotFoundError, new Polygate(wrong).models.list());
  const gateway = new Polygate({ ...wrong, ...optionsOf(diagnosis) });
  expect((await gateway.models.list()).data).not.toEqual([]);
});

test('several options merge into one object, with which nothing is left to change', async () => {
  const assumptions = {
    A1: 'videos/generations',
    A2: 'images/generations',
    A11: 'replay',
  } as const;
  const wrap: Wrap = (fetch, mock) =>
    withRequestIdHeader('x-acme-request-id')(withPrefix('x-acme-')(fetch, mock), mock);
  const { diagnosis, after } = await diagnosed(assumptions, wrap, 0.1);
  const options = {
    headerPrefix: 'x-acme-',
    requestIdHeader: 'x-acme-request-id',
    paths: {
      videoTask: '/v1/videos/generations/{id}',
      imageTask: '/v1/images/generations/{id}',
    },
    retryAmbiguous: { chat: true },
  };
  expect(optionsOf(diagnosis)).toEqual(options);
  const { gateway, mock } = after;
  const again = await mock.clock.settle(diagnose({ gateway, maxSpendUsd: 0.1 }));
  expect(again.ok).toBe(true);
  // The doctor cannot see whether replay of chat is already enabled.
  expect(optionsOf(again)).toEqual({ retryAmbiguous: { chat: true } });
});

test('a header prefix that only paid responses show is used from the next one on', async () => {
  const wrap: Wrap = (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers();
    for (const [name, value] of response.headers) {
      if (!name.startsWith('x-svc-')) headers.set(name, value);
      else if (init?.method === 'POST') headers.set(name.replace('x-svc-', 'x-acme-'), value);
    }
    return new Response(response.body, { status: response.status, headers });
  };
  const { run, mock } = startMock({}, wrap);
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'chat.charge')).toMatchObject({
    status: 'warning',
    option: { headerPrefix: 'x-acme-' },
  });
  const [first, ...others] = mock.invoice;
  expect(first?.usd).toBeGreaterThan(0);
  expect(diagnosis.spentUsd).toBeCloseTo(
    others.reduce((total, { usd }) => total + usd, 0),
    9,
  );
  expect(findingOf(diagnosis, 'replay').status).toBe('ok');
});
