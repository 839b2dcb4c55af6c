import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { ConnectionError } from '../../../src/index.ts';
import { charge, chat, completion, poll, recording, submission } from './support.ts';

const inFlight = 'polygate.client.requests.in_flight';
const duration = 'gen_ai.client.inference.duration';
const timeToFirstChunk = 'gen_ai.client.inference.time_to_first_chunk';
const inputTokens = 'gen_ai.client.inference.usage.input_tokens';
const outputTokens = 'gen_ai.client.inference.usage.output_tokens';
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'polygate',
  'gen_ai.request.model': 'aurora-chat',
  'server.address': 'gateway.example',
  'server.port': 443,
};
const responded = { ...attributes, 'gen_ai.response.model': 'aurora-chat-2' };
const pass = (ms: number) => vi.advanceTimersByTime(ms);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('metrics have the names, units and buckets of the conventions', async () => {
  const { start, metrics } = recording();
  const span = start(chat);
  span.runAttempt(() => {});
  span.event({ type: 'first-chunk' });
  span.event(charge(0.04));
  span.end({ data: completion });
  const found = await metrics();
  const described = found.map(({ descriptor: { name, unit }, ...metric }) => {
    return [name, unit, 'isMonotonic' in metric ? metric.isMonotonic : 'histogram'];
  });
  expect(new Set(described)).toEqual(
    new Set([
      [duration, 's', 'histogram'],
      [timeToFirstChunk, 's', 'histogram'],
      [inputTokens, '{token}', true],
      [outputTokens, '{token}', true],
      ['polygate.client.charge', '{USD}', true],
      [inFlight, '{request}', false],
    ]),
  );
  const boundaries = found.flatMap(({ dataPoints: [point] }) =>
    typeof point?.value === 'object' && 'buckets' in point.value ? [point.value.buckets] : [],
  );
  const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96];
  expect(boundaries.map((buckets) => buckets.boundaries)).toEqual([
    [...seconds, 81.92],
    [...seconds, 81.92],
  ]);
});

describe('the duration', () => {
  test('is that of a chat', async () => {
    const { start, points } = recording();
    const span = start({ ...chat, stream: true });
    pass(1500);
    span.end({ data: completion });
    expect(await points(duration)).toEqual([{ attributes: responded, value: 1.5 }]);
  });

  test('of a failed chat has the error type', async () => {
    const { run, points } = recording();
    run(chat, { error: new ConnectionError('Lost') });
    const failed = { ...attributes, 'error.type': 'ConnectionError' };
    expect(await points(duration)).toEqual([{ attributes: failed, value: 0 }]);
  });

  test('is that of a submission, but of no other operation', async () => {
    const { run, points } = recording();
    run(submission);
    run(poll);
    run({ type: 'wait', kind: 'image', id: 'task_1' });
    run({ type: 'generate', kind: 'image', model: 'prism-image' });
    expect((await points(duration)).map((point) => point.attributes)).toMatchObject([
      { 'gen_ai.operation.name': 'generate_image', 'gen_ai.request.model': 'prism-image' },
    ]);
    expect(await points(inputTokens)).toEqual([]);
  });
});

test('the time to the first chunk starts with the last attempt', async () => {
  const { start, points, spans } = recording();
  const span = start({ ...chat, stream: true });
  span.runAttempt(() => {});
  pass(1000);
  span.event({ type: 'retry', attempt: 1, status: 503, delayMs: 500 });
  pass(500);
  span.runAttempt(() => {});
  pass(250);
  span.event({ type: 'first-chunk' });
  pass(2000);
  span.end({ data: completion, error: new ConnectionError('Lost') });
  expect(await points(timeToFirstChunk)).toEqual([{ attributes: responded, value: 0.25 }]);
  expect(spans()[0]?.attributes).toMatchObject({ 'gen_ai.response.time_to_first_chunk': 0.25 });
});

test('tokens are counted, and 0 for a chat without usage', async () => {
  const { run, points } = recording();
  run(chat, { data: completion });
  run(chat, { data: completion });
  run(chat, { error: new ConnectionError('Lost') });
  const modality = { 'gen_ai.token.modality': 'unknown' };
  const ofTokens = (value: number) => [
    { attributes: { ...responded, ...modality }, value },
    { attributes: { ...attributes, ...modality }, value: 0 },
  ];
  expect(await points(inputTokens)).toEqual(ofTokens(24));
  expect(await points(outputTokens)).toEqual(ofTokens(60));
});

test('charges are counted by model and route, even after the end, and replays are not', async () => {
  const { start, run, points } = recording();
  const span = start(submission);
  span.event(charge(0.04));
  span.end({});
  span.event(charge(0.02));
  run(chat, {}, [
    {
      type: 'charge',
      charge: {
        usd: 0.01,
        model: 'aurora-chat',
        route: 'POST /v1/chat/completions',
        replay: false,
      },
    },
  ]);
  run({ ...submission, model: 'other-image' }, {}, [
    { type: 'charge', charge: { usd: 0, route: 'POST /v1/images/tasks', replay: true } },
  ]);
  expect(await points('polygate.client.charge')).toEqual([
    {
      attributes: {
        'gen_ai.request.model': 'prism-image',
        'polygate.route': 'POST /v1/images/tasks',
      },
      value: 0.06,
    },
    {
      attributes: {
        'gen_ai.request.model': 'aurora-chat',
        'polygate.route': 'POST /v1/chat/completions',
      },
      value: 0.01,
    },
  ]);
});

test('requests in flight are counted up and down once', async () => {
  const { start, points } = recording();
  const value = async () => (await points(inFlight))[0]?.value;
  const retry = { type: 'retry', attempt: 1, status: 503, delayMs: 500 } as const;
  const span = start(chat);
  const other = start(chat);
  other.event(retry);
  expect(await value()).toBeUndefined();
  other.runAttempt(() => {});
  span.runAttempt(() => {});
  expect(await points(inFlight)).toEqual([{ attributes, value: 2 }]);
  span.event(retry);
  span.event(retry);
  expect(await value()).toBe(1);
  span.runAttempt(() => {});
  expect(await value()).toBe(2);
  span.end({});
  span.end({});
  span.event(retry);
  span.runAttempt(() => {});
  expect(await value()).toBe(1);
  other.end({});
  expect(await value()).toBe(0);
});
