import { beforeAll, describe, expect, test } from 'vitest';

import type { Polygate, Telemetry, TelemetryOperation, TelemetrySpan } from '../../../src/index.ts';
import { drain, onMock, turns } from '../../client/support.ts';
import { chatParams as withTools, tool } from '../../support/tools.ts';
import { chat, image, material, speech } from './observed.ts';

const fail = (): never => {
  throw new Error('Telemetry is broken');
};

/** What a promise rejects with, where the interface expects no promise. */
const reject = (): any => Promise.reject(new Error('Telemetry is broken'));

const silent: TelemetrySpan = { runAttempt: (send) => send(), event() {}, end() {} };
const withSpan = (span: Partial<TelemetrySpan>): Telemetry => ({
  startSpan: () => ({ ...silent, ...span }),
});

/** Each has a defect, whose message it logs if it has one. */
const broken: readonly [string, Telemetry, RegExp | undefined][] = [
  ['startSpan throws', { startSpan: fail }, /Telemetry is broken/],
  ['startSpan returns undefined', { startSpan: () => undefined }, undefined],
  ['startSpan rejects', { startSpan: reject }, /is broken|is not a function/],
  ['startSpan returns null', Object.assign(withSpan({}), { startSpan: () => null }), undefined],
  [
    'startSpan returns something else',
    Object.assign(withSpan({}), { startSpan: () => ({}) }),
    /is not a function/,
  ],
  [
    'startSpan overwrites the body',
    {
      startSpan(operation) {
        if (operation.type === 'call' && operation.body instanceof Uint8Array) {
          operation.body.fill(0);
        }
        return silent;
      },
    },
    undefined,
  ],
  ['runAttempt throws', withSpan({ runAttempt: fail }), /Telemetry is broken/],
  [
    'runAttempt throws after it has sent',
    withSpan({
      runAttempt(send) {
        send();
        fail();
      },
    }),
    /Telemetry is broken/,
  ],
  ['runAttempt rejects', withSpan({ runAttempt: reject }), /Telemetry is broken/],
  ['runAttempt never sends', withSpan({ runAttempt() {} }), undefined],
  [
    'runAttempt sends twice',
    withSpan({
      runAttempt(send) {
        send();
        send();
      },
    }),
    undefined,
  ],
  [
    'runAttempt sends later',
    withSpan({ runAttempt: (send) => void setImmediate(send) }),
    undefined,
  ],
  ['event throws', withSpan({ event: fail }), /Telemetry is broken/],
  ['event rejects', withSpan({ event: reject }), /Telemetry is broken/],
  ['end throws', withSpan({ end: fail }), /Telemetry is broken/],
  ['end rejects', withSpan({ end: reject }), /Telemetry is broken/],
  [
    'end reads metadata and then throws',
    withSpan({
      end({ meta }) {
        meta?.();
        fail();
      },
    }),
    /Telemetry is broken/,
  ],
  ['captureContext throws', { ...withSpan({}), captureContext: fail }, /Telemetry is broken/],
  [
    'captureContext returns undefined',
    Object.assign(withSpan({}), { captureContext: () => undefined }),
    undefined,
  ],
  [
    'captureContext rejects',
    { ...withSpan({}), captureContext: reject },
    /is broken|is not a function/,
  ],
  [
    'the function of captureContext throws',
    { ...withSpan({}), captureContext: () => fail },
    /Telemetry is broken/,
  ],
  [
    'the function of captureContext throws after it has started',
    {
      ...withSpan({}),
      captureContext: () => (start) => {
        start();
        fail();
      },
    },
    /Telemetry is broken/,
  ],
  [
    'the function of captureContext never starts',
    { ...withSpan({}), captureContext: () => () => {} },
    undefined,
  ],
  [
    'the function of captureContext starts twice',
    {
      ...withSpan({}),
      captureContext: () => (start) => {
        start();
        start();
      },
    },
    undefined,
  ],
  [
    'the function of captureContext starts later',
    { ...withSpan({}), captureContext: () => (start) => void setImmediate(start) },
    undefined,
  ],
];

/** Calls of every kind: their results without ids, times and URLs. */
async function resultsOf(gateway: Polygate, settle: <R>(promise: Promise<R>) => Promise<R>) {
  const calls: (() => Promise<unknown>)[] = [
    async () => (await gateway.chat.completions.create(chat)).choices,
    async () => (await gateway.chat.completions.stream(chat).final()).choices,
    async () => (await gateway.chat.completions.create(chat).asResponse()).status,
    async () =>
      (await drain(await gateway.chat.completions.create({ ...chat, stream: true }))).length,
    async () =>
      (await gateway.chat.completions.run({ ...withTools, tools: [tool('get_weather')] })).rounds
        .length,
    async () => (await gateway.images.generate(image)).status,
    async () => (await gateway.images.submit(image)).chargeUsd,
    async () => (await gateway.audio.speech.submit(speech)).kind,
    async () => (await drain((await gateway.images.submit(image)).updates())).length,
    async () => (await gateway.materials.register(material)).status,
    async () => (await gateway.models.list()).data.length,
    () => gateway.models.retrieve('unknown').catch(({ name }) => name),
    () => gateway.images.wait('task_9').catch(({ name }) => name),
    async () => (await gateway.fetch('/v1/models')).status,
    async () => {
      const body = new TextEncoder().encode(JSON.stringify({ ...chat, stream: true }));
      const response = await gateway.fetch('/v1/chat/completions', { method: 'POST', body });
      return (await response.text()).length;
    },
  ];
  const results = [];
  for (const call of calls) results.push(await settle(call()));
  return results;
}

async function run(telemetry: Telemetry | undefined) {
  const errors: string[] = [];
  const ignore = () => {};
  const logger = {
    error: (message: string) => void errors.push(message),
    warn: ignore,
    info: ignore,
    debug: ignore,
  };
  const { gateway, mock } = onMock({ seed: 3 }, { telemetry, logger, logLevel: 'error' });
  // Retries must also be sent once.
  mock.fail({ status: 503, attempt: [1, 9] });
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', attempt: 1 });
  const results = await resultsOf(gateway, (promise) => mock.clock.settle(promise));
  await turns();
  return {
    errors,
    results,
    requests: mock.requests.map(({ method, path }) => `${method} ${path}`.replace(/_\w+$/, '')),
    invoice: mock.invoice.map(({ route, usd, kind }) => [route, usd, kind]),
    spend: gateway.spend.totalUsd,
  };
}

describe('a telemetry object changes no result, and each paid request is sent as often as without it', () => {
  let expected: Omit<Awaited<ReturnType<typeof run>>, 'errors'>;

  beforeAll(async () => {
    const { errors: _, ...outcome } = await run(undefined);
    expected = outcome;
  });

  test.each(broken)('if %s', async (_, telemetry, logged) => {
    const { errors, ...outcome } = await run(telemetry);
    expect(outcome).toEqual(expected);
    expect(expected.invoice.length).toBeGreaterThan(8);
    if (logged === undefined) expect(errors).toEqual([]);
    else {
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) expect(error).toMatch(logged);
      expect(errors[0]).toMatch(/^polygate: telemetry threw: /);
    }
  });

  test('if it calls the client itself', async () => {
    const { gateway, mock } = onMock();
    const operations: TelemetryOperation[] = [];
    const nested: Promise<unknown>[] = [];
    const reentrant = gateway.withOptions({
      telemetry: {
        startSpan(operation) {
          operations.push(operation);
          if (operations.length === 1) nested.push(reentrant.models.list());
          return silent;
        },
      },
    });
    await mock.clock.settle(reentrant.images.submit(image));
    await mock.clock.settle(Promise.all(nested));
    expect(operations).toHaveLength(2);
    expect(mock.invoice).toHaveLength(1);
  });
});

test('what happens is reported in order: start, attempt, events, end', async () => {
  const seen: string[] = [];
  const { gateway, mock } = onMock(
    {},
    {
      telemetry: {
        captureContext() {
          seen.push('capture');
          return (start) => {
            seen.push('enter');
            start();
          };
        },
        startSpan(operation) {
          seen.push(operation.type);
          return {
            runAttempt(send) {
              seen.push('attempt');
              send();
            },
            event: ({ type }) => void seen.push(type),
            end: () => void seen.push('end'),
          };
        },
      },
    },
  );
  mock.fail({ status: 503, times: 1 });
  await mock.clock.settle(gateway.images.submit(image));
  expect(seen).toEqual([
    'capture',
    'enter',
    'call',
    'attempt',
    'retry',
    'attempt',
    'charge',
    'end',
  ]);
});
