import { context, createContextKey, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { openTelemetry } from 'polygate/otel';
import { afterEach, describe, expect, test } from 'vitest';

import { charge, chat, poll, providers, recording, submission } from './support.ts';

const enableContext = () =>
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const wait = { type: 'wait', kind: 'image', id: 'task_1' } as const;

afterEach(() => {
  context.disable();
  trace.disable();
  metrics.disable();
});

describe('the parent of a span', () => {
  test('is the given span, even without a context manager', () => {
    const { start, spans } = recording();
    const parent = start({ type: 'generate', kind: 'image', model: 'prism-image' });
    start(submission, parent).end({});
    start(poll, start(wait, parent)).end({});
    parent.end({});
    const [submit, , generate] = spans();
    expect(submit?.parentSpanContext?.spanId).toBe(generate?.spanContext().spanId);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test('is otherwise the active span', () => {
    enableContext();
    const { start, spans, tracerProvider } = recording();
    const active = tracerProvider.getTracer('app').startSpan('request');
    context.with(trace.setSpan(context.active(), active), () => start(chat).end({}));
    expect(spans()[0]?.parentSpanContext?.spanId).toBe(active.spanContext().spanId);
  });

  test('is the span that was active in the caller, if the operation starts later', () => {
    enableContext();
    const { telemetry, start, spans, tracerProvider } = recording();
    const active = tracerProvider.getTracer('app').startSpan('request');
    const restore = context.with(trace.setSpan(context.active(), active), () =>
      telemetry.captureContext?.(),
    );
    restore?.(() => start(chat).end({}));
    expect(spans()[0]?.parentSpanContext?.spanId).toBe(active.spanContext().spanId);
  });
});

test('a request is sent with its span active, in the context of the caller', () => {
  enableContext();
  const { start, spans } = recording();
  const key = createContextKey('baggage');
  const span = context.with(context.active().setValue(key, 'kept'), () => start(wait));
  const call = start(poll, span);
  const active: unknown[] = [];
  call.runAttempt(() => {
    active.push(trace.getActiveSpan()?.spanContext().spanId, context.active().getValue(key));
  });
  call.end({});
  expect(active).toEqual([spans()[0]?.spanContext().spanId, 'kept']);
});

describe('the span of a wait', () => {
  test('is linked to the span of its submission', () => {
    const { run } = recording();
    const submit = run(submission, { data: { id: 'task_1' } });
    expect(run(wait).links.map((link) => link.context)).toEqual([submit.spanContext()]);
    expect(run({ ...wait, id: 'task_2' }).links).toEqual([]);
  });

  test('has no link to a poll, a chat or a generate', () => {
    const { run } = recording();
    run(poll, { data: { id: 'task_1' } });
    run(chat, { data: { id: 'task_1' } });
    run({ type: 'generate', kind: 'image', model: 'prism-image' }, { data: { id: 'task_1' } });
    expect(run(wait).links).toEqual([]);
  });

  test('is linked to one of the last 10,000 submissions', () => {
    const { run } = recording();
    for (let id = 0; id <= 10_000; id += 1) run(submission, { data: { id } });
    expect(run({ ...wait, id: '0' }).links).toEqual([]);
    expect(run({ ...wait, id: '1' }).links).toHaveLength(1);
  });
});

test('global providers can be registered after openTelemetry() was called', async () => {
  const telemetry = openTelemetry();
  const early = telemetry.startSpan(submission, undefined);
  early?.runAttempt(() => {});
  const { tracerProvider, meterProvider, spans, points } = providers();
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  early?.end({ data: { id: 'task_1' } });
  const span = telemetry.startSpan(submission, undefined);
  span?.event(charge(0.04));
  span?.end({});
  telemetry.startSpan(wait, undefined)?.end({});
  const named = spans().map(({ name, links }) => [name, links]);
  expect(named).toEqual([
    ['generate_image prism-image', []],
    ['wait image', []],
  ]);
  expect((await points('polygate.client.charge')).map(({ value }) => value)).toEqual([0.04]);
  // The early request went up in no counter, so it must not go down in this one.
  expect(await points('polygate.client.requests.in_flight')).toEqual([]);
});
