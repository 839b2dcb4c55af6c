import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { AbortedError, ConfigurationError, HookError, PolygateError } from '../../../src/index.ts';
import type { Hooks, Polygate } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import {
  caught,
  chat,
  clientOf,
  completed,
  completion,
  drain,
  errorReply,
  image,
  jsonReply,
  modelList,
  onMock,
  reset,
  scripted,
  unreachable,
} from '../support.ts';
import type { Reply } from '../support.ts';

type BeforeRequest = NonNullable<Hooks['beforeRequest']>[number];
type Call = (gateway: Polygate) => Promise<unknown>;

const material = { url: 'https://files.example/a.png', type: 'image' as const };
const calls: readonly (readonly [string, 'safe' | 'keyed' | 'once', Call])[] = [
  ['a list', 'safe', (gateway) => gateway.models.list()],
  ['a public call', 'safe', (gateway) => gateway.public.status()],
  ['a raw request', 'once', (gateway) => gateway.request({ method: 'POST', path: '/v1/other' })],
  ['a submit', 'keyed', (gateway) => gateway.images.submit(image)],
  ['generate', 'keyed', (gateway) => gateway.images.generate(image)],
  ['a material', 'keyed', (gateway) => gateway.materials.create(material)],
  ['register', 'keyed', (gateway) => gateway.materials.register(material)],
  ['a chat', 'once', (gateway) => gateway.chat.completions.create(chat)],
  ['a stream', 'once', (gateway) => drain(gateway.chat.completions.stream(chat))],
  ['a voice', 'once', (gateway) => gateway.voices.design({ prompt: 'A', preview_text: 'B' })],
  ['asResponse()', 'safe', (gateway) => gateway.models.list().asResponse()],
];

const fail = (cause: unknown) => () => {
  throw cause;
};

function clientWith(replies: readonly [Reply, ...Reply[]], hooks: Hooks) {
  const { fetch, sent } = scripted(...replies);
  return { gateway: clientOf(fetch, { hooks, random: () => 0 }), sent };
}

const causes: readonly (readonly [string, unknown, string])[] = [
  ['an Error', new Error('No tenant'), ': No tenant. '],
  ['a string', 'No tenant', ': No tenant. '],
  ['undefined', undefined, 'hooks.beforeRequest threw an error. '],
  ['null', null, 'hooks.beforeRequest threw an error. '],
  ['an object', { reason: 1 }, 'hooks.beforeRequest threw an error. '],
  ['an error of several lines', new Error('No\n  tenant'), ': No tenant. '],
  ['a frozen error', Object.freeze(new Error('Frozen')), ': Frozen. '],
  ['a PolygateError', new PolygateError('Other', { outcome: 'unknown' }), ': Other. '],
  ['a ConfigurationError', new ConfigurationError('Other'), ': Other. '],
  ['a HookError', new HookError('Other', { outcome: 'unknown' }), ': Other. '],
  ['an AbortedError', new AbortedError('Other'), ': Other. '],
  ['a network error', new TypeError('fetch failed'), ': fetch failed. '],
];

describe.each(causes)('a hook that throws %s', (_, cause, reason) => {
  test('fails the call with a HookError that has it as its cause', async () => {
    for (const hook of [fail(cause), () => Promise.reject(cause)]) {
      const { gateway, sent } = clientWith([completed], { beforeRequest: [hook] });
      const error = await caught(gateway.chat.completions.create(chat));
      expect(error).toBeInstanceOf(HookError);
      expect(HookError.is(error)).toBe(true);
      expect(error.cause).toBe(cause);
      expect(error.outcome).toBe('not-sent');
      expect(error.message).toContain(reason);
      expect(error.message).toContain('Nothing was charged. [POST /v1/chat/completions]');
      expect(sent).toEqual([]);
    }
  });

  test('does so in an afterResponse hook too', async () => {
    const { gateway, sent } = clientWith([completed], { afterResponse: [fail(cause)] });
    const error = await caught(gateway.chat.completions.create(chat));
    expect(error).toBeInstanceOf(HookError);
    expect(error.cause).toBe(cause);
    expect(error.outcome).toBe('unknown');
    expect(error.message).toContain('hooks.afterResponse threw an error');
    expect(sent).toHaveLength(1);
  });
});

describe.each(calls)('a HookError of %s', (_, safety, call) => {
  const cause = new Error('Broken');

  test('in beforeRequest ends the call before anything is sent', async () => {
    let runs = 0;
    const hook = () => {
      runs += 1;
      throw cause;
    };
    const { gateway, sent } = clientWith([completed], { beforeRequest: [hook] });
    const error = await caught(call(gateway));
    expect(error).toMatchObject({ name: 'HookError', cause, outcome: 'not-sent' });
    if (safety === 'keyed') expect(error.idempotencyKey).toMatch(/\S/);
    expect([runs, sent]).toEqual([1, []]);
  });

  test.each([200, 400, 429, 500, 503])(
    'in afterResponse ends the call without a retry: status %d',
    async (status) => {
      const { gateway, sent } = clientWith([jsonReply(status, {}), completed], {
        afterResponse: [fail(cause)],
      });
      const error = await caught(call(gateway));
      const isRejected = status === 400 || status === 429;
      const outcome = isRejected ? 'rejected' : safety === 'safe' ? undefined : 'unknown';
      expect(error).toMatchObject({ name: 'HookError', cause, meta: { status } });
      expect(error.outcome).toBe(outcome);
      expect(sent).toHaveLength(1);
    },
  );
});

describe('after an earlier attempt', () => {
  /** Throws in the second attempt. */
  const failSecond = (): BeforeRequest => {
    let runs = 0;
    return () => {
      runs += 1;
      if (runs === 2) throw new Error('Broken');
    };
  };
  const submit: Call = (gateway) => gateway.images.submit(image);
  const create: Call = (gateway) => gateway.chat.completions.create(chat);

  test.each<[string, Reply, Call, string]>([
    ['a submit that was reset', reset, submit, 'unknown'],
    ['a submit with status 500', errorReply(500), submit, 'unknown'],
    ['a submit with status 503', errorReply(503), submit, 'rejected'],
    ['a submit that was not sent', unreachable, submit, 'not-sent'],
    ['a chat with status 429', errorReply(429), create, 'rejected'],
    ['a chat that was not sent', unreachable, create, 'not-sent'],
  ])('%s: the outcome is that of the call', async (_, first, call, outcome) => {
    const { gateway, sent } = clientWith([first, completed], { beforeRequest: [failSecond()] });
    const error = await caught(call(gateway));
    expect(error).toMatchObject({ name: 'HookError', outcome });
    expect(error.meta).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('a charged response that is then rejected by a hook leaves the outcome unknown', async () => {
    const { gateway } = clientWith([reset, errorReply(400)], {
      afterResponse: [fail(new Error('Broken'))],
    });
    expect(await caught(submit(gateway))).toMatchObject({ name: 'HookError', outcome: 'unknown' });
  });
});

describe('the paid facts of a response survive a hook that throws', () => {
  const afterResponse = [fail(new Error('Broken'))];
  const headers = {
    'x-svc-charge-usd': '0.25',
    'x-request-id': 'req-1',
    'x-svc-task-id': 'task_7',
  };

  test('of a submit: ledger, onCharge, meta, key and a task', async () => {
    const charges: unknown[] = [];
    const { mock, gateway: healthy } = onMock({ tasks: { durationMs: 1_000 } });
    let isBroken = true;
    const gateway = healthy.withOptions({
      onCharge: (charge) => void charges.push(charge),
      budget: { maxUsd: 10 },
      hooks: { afterResponse: [() => void (isBroken && fail(new Error('Broken'))())] },
    });
    await healthy.models.list();
    const submit = gateway.images.submit(image, { idempotencyKey: 'order-1' });
    const error = await rejection(HookError, mock.clock.settle(submit));
    expect(error).toMatchObject({
      name: 'HookError',
      outcome: 'unknown',
      idempotencyKey: 'order-1',
    });
    expect(error.message).toContain('is not lost: continue with error.task.wait()');
    expect(mock.invoice).toMatchObject([{ usd: 0.02, idempotencyKey: 'order-1' }]);
    expect(gateway.spend.totalUsd).toBe(0.02);
    expect(charges).toMatchObject([{ usd: 0.02, route: 'POST /v1/images/tasks' }]);
    const [request] = mock.requests.filter(({ method }) => method === 'POST');
    expect(error.meta).toMatchObject({ chargeUsd: 0.02, requestId: request?.requestId });
    expect(gateway.concurrency.inFlight).toBe(0);

    isBroken = false;
    const { task } = error;
    const generation = await mock.clock.settle(task?.wait() ?? Promise.reject(new Error('None')));
    expect(generation.status).toBe('succeeded');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ task: { id: task?.id } });
  });

  test.each(calls.filter(([, safety]) => safety === 'once'))('of %s', async (_, __, call) => {
    const { gateway, sent } = clientWith([jsonReply(200, completion, headers)], { afterResponse });
    const error = await caught(call(gateway));
    expect(error).toMatchObject({
      outcome: 'unknown',
      meta: { chargeUsd: 0.25, requestId: 'req-1', taskId: 'task_7' },
    });
    expect(error.message).toContain('may have been charged');
    expect(error.message).toContain('request req-1');
    expect(gateway.spend.totalUsd).toBe(0.25);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('of a response that a beforeRequest hook has returned', async () => {
    const { gateway, sent } = clientWith([completed], {
      beforeRequest: [() => Response.json(completion, { headers })],
      afterResponse,
    });
    const error = await caught(gateway.chat.completions.create(chat));
    expect(error).toMatchObject({ name: 'HookError', meta: { chargeUsd: 0.25 } });
    expect(gateway.spend.totalUsd).toBe(0.25);
    expect(sent).toEqual([]);
  });

  test('of an error response with a charge', async () => {
    const { gateway } = clientWith([errorReply(500, undefined, headers)], { afterResponse });
    const error = await caught(gateway.images.submit(image));
    expect(error).toMatchObject({ name: 'HookError', outcome: 'unknown', task: { id: 'task_7' } });
    expect(gateway.spend.totalUsd).toBe(0.25);
  });

  test.each([
    ['beforeRequest', 0.02],
    ['afterResponse', 0.04],
  ])('and its budget reservation is released: %s', async (name, maxUsd) => {
    let isBroken = true;
    const hook = () => void (isBroken && fail(new Error('Broken'))());
    const { mock, gateway: healthy } = onMock();
    await healthy.models.retrieve(image.model);
    const gateway = healthy.withOptions({ budget: { maxUsd }, hooks: { [name]: [hook] } });
    expect(await caught(gateway.images.submit(image))).toMatchObject({ name: 'HookError' });
    isBroken = false;
    await gateway.images.submit(image);
    expect(mock.invoice.reduce((sum, { usd }) => sum + usd, 0)).toBe(maxUsd);
    expect(await caught(gateway.images.submit(image))).toMatchObject({
      name: 'BudgetExceededError',
    });
  });
});

test('a HookError does not contain the API key', async () => {
  const apiKey = 'sk-secret-canary-0123456789';
  for (const hooks of [
    { beforeRequest: [fail(new Error(`Rejected ${apiKey}`))] },
    { afterResponse: [fail(`Rejected ${apiKey}`)] },
    { beforeRequest: [({ request }) => new Request('https://elsewhere.example', request)] },
    { afterResponse: [async () => Response.json(await new Response('x').text()).clone()] },
  ] satisfies Hooks[]) {
    const { fetch } = scripted(errorReply(401));
    const gateway = clientOf(fetch, { hooks, apiKey });
    const error = await caught(gateway.chat.completions.create(chat));
    const { message, stack } = error;
    Object.defineProperty(error, 'cause', { value: undefined });
    const shown = inspect(error, { showHidden: true, depth: 9 });
    for (const text of [message, stack, JSON.stringify(error), shown]) {
      expect(text).not.toContain(apiKey);
    }
  }
});

test('a failing request of a hooked client does not contain the API key', async () => {
  const apiKey = 'sk-secret-canary-0123456789';
  const hooks = { beforeRequest: [() => undefined], afterResponse: [() => undefined] };
  for (const reply of [reset, unreachable, errorReply(500), modelList] satisfies Reply[]) {
    const gateway = clientOf(scripted(reply).fetch, { hooks, apiKey, maxRetries: 0 });
    const error = await caught(gateway.chat.completions.create(chat));
    for (const text of [inspect(error, { showHidden: true, depth: 9 }), JSON.stringify(error)]) {
      expect(text).not.toContain(apiKey);
    }
  }
});
