import { diag, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-base';
import type { Sampler } from '@opentelemetry/sdk-trace-base';
import { openTelemetry } from 'polygate/otel';
import { describe, expect, test } from 'vitest';

import { version } from '../../../src/client/config/environment.ts';
import { APIError, ConfigurationError, ConnectionError, Polygate } from '../../../src/index.ts';
import type { TelemetryOperation } from '../../../src/index.ts';
import {
  charge,
  chat,
  completion,
  meta,
  metaOf,
  poll,
  providers,
  recording,
  submission,
} from './support.ts';

const common = {
  'gen_ai.provider.name': 'polygate',
  'server.address': 'gateway.example',
  'server.port': 443,
};
const ofChat = {
  ...common,
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'aurora-chat',
};
const ofSubmission = {
  ...common,
  'gen_ai.operation.name': 'generate_image',
  'gen_ai.request.model': 'prism-image',
};
const generate = { type: 'generate', kind: 'image', model: 'prism-image' } as const;
const wait = { type: 'wait', kind: 'image', id: 'task_1' } as const;
const task = new Polygate({ apiKey: 'sk-1', baseURL: 'https://gateway.example' }).resume({
  v: 1,
  kind: 'image',
  id: 'task_1',
});

describe('a span', () => {
  test.each<[TelemetryOperation, string, SpanKind]>([
    [chat, 'chat aurora-chat', SpanKind.CLIENT],
    [{ ...chat, model: undefined }, 'chat', SpanKind.CLIENT],
    [submission, 'generate_image prism-image', SpanKind.CLIENT],
    [poll, 'GET /v1/images/tasks/{id}', SpanKind.CLIENT],
    [wait, 'wait image', SpanKind.INTERNAL],
    [{ ...wait, kind: 'material' }, 'wait material', SpanKind.INTERNAL],
    [generate, 'generate image', SpanKind.INTERNAL],
  ])('of %o is named %s', (operation, name, kind) => {
    const span = recording().run(operation);
    expect(span).toMatchObject({ name, kind, status: { code: SpanStatusCode.UNSET } });
    expect(span.instrumentationScope).toMatchObject({ name: 'polygate', version });
  });

  test('starts with the attributes that samplers use', () => {
    const seen: unknown[] = [];
    const sampler: Sampler = {
      shouldSample: (_context, _traceId, _name, _kind, attributes) => {
        seen.push(attributes);
        return { decision: SamplingDecision.NOT_RECORD };
      },
    };
    const { tracerProvider } = providers(sampler);
    const telemetry = openTelemetry({ tracerProvider });
    for (const operation of [{ ...chat, stream: true }, { ...poll, stream: false }, wait]) {
      telemetry.startSpan(operation, undefined);
    }
    expect(seen).toEqual([
      { ...ofChat, 'gen_ai.request.stream': true },
      common,
      { 'gen_ai.provider.name': 'polygate', 'polygate.task_id': 'task_1' },
    ]);
  });

  test.each([
    ['http://gateway.example', 'gateway.example', 80],
    ['https://gateway.example:8443/base', 'gateway.example', 8443],
    ['http://[::1]:3000', '::1', 3000],
  ])('has the host and port of %s', (baseURL, address, port) => {
    const { attributes } = recording().run({ ...poll, baseURL });
    expect([attributes['server.address'], attributes['server.port']]).toEqual([address, port]);
  });

  test('of a chat has the facts of the completion, and the finish reason error for none', () => {
    const { attributes } = recording().run(chat, { data: completion, meta: metaOf('req-1') });
    expect(attributes).toEqual({
      ...ofChat,
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.model': 'aurora-chat-2',
      'gen_ai.response.finish_reasons': ['stop', 'error'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 30,
      'polygate.request_id': 'req-1',
      'polygate.replayed': false,
    });
  });

  test('of a chat leaves out what a completion lacks', () => {
    const data = { id: 5, model: null, choices: {}, usage: { prompt_tokens: '12' } };
    const { attributes } = recording().run(chat, { data });
    expect(attributes).toEqual({ ...ofChat, 'gen_ai.response.id': '5' });
  });

  test.each([
    [{ id: 'task_1' }, undefined],
    [{ task_id: 'task_1' }, undefined],
    [undefined, 'task_1'],
  ])('of a submission has the task id in %o or the header %s', (data, header) => {
    const result = { data, meta: metaOf('req-1', true, header) };
    const { attributes } = recording().run(submission, result, [charge(0.04), charge(0)]);
    expect(attributes).toEqual({
      ...ofSubmission,
      'polygate.request_id': 'req-1',
      'polygate.task_id': 'task_1',
      'polygate.replayed': true,
      'polygate.charge_usd': 0.04,
    });
  });

  test('of another call has no facts of its result', () => {
    const { attributes } = recording().run(poll, {
      data: { ...completion, id: 'task_1' },
      meta: metaOf('req-1'),
    });
    expect(attributes).toEqual({
      ...common,
      'polygate.request_id': 'req-1',
      'polygate.replayed': false,
    });
  });

  test('of a failed call has the class of the error and its details, but no message', () => {
    const details = { meta: meta('req-2'), outcome: 'rejected', task, body: 'a secret' } as const;
    const error = new APIError('a secret', details);
    const { attributes, status, events } = recording().run(submission, { error });
    expect(attributes).toEqual({
      ...ofSubmission,
      'error.type': 'APIError',
      'polygate.outcome': 'rejected',
      'polygate.request_id': 'req-2',
      'polygate.replayed': false,
      'polygate.task_id': 'task_1',
    });
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(events).toEqual([]);
  });

  test.each([
    [new TypeError('a secret'), 'TypeError'],
    ['a secret', '_OTHER'],
  ])('of a call that fails with %o has the error type %s', (error, type) => {
    const { attributes, status } = recording().run(poll, { error });
    expect(attributes).toEqual({ ...common, 'error.type': type });
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  });

  test('of a wait or a generate has the task id and the error', () => {
    const { run } = recording();
    const error = new ConnectionError('Lost', { task });
    const shared = { 'gen_ai.provider.name': 'polygate', 'polygate.task_id': 'task_1' };
    const withModel = { ...shared, 'gen_ai.request.model': 'prism-image' };
    const failed = { 'error.type': 'ConnectionError', 'polygate.outcome': 'unknown' };
    const data = { ...completion, id: 'task_1', model: 'prism-image' };
    const ended = { data, meta: metaOf('req-1') };
    expect(run(wait, ended).attributes).toEqual(withModel);
    expect(run(wait, { error }).attributes).toEqual({ ...shared, ...failed });
    expect(run(generate, ended).attributes).toEqual(withModel);
    expect(run(generate, { error }).attributes).toEqual({ ...withModel, ...failed });
    const ofMaterial = { type: 'wait', kind: 'material', id: 'mat_1' } as const;
    expect(run(ofMaterial, { data: { id: 'mat_1', status: 'available' } }).attributes).toEqual({
      'gen_ai.provider.name': 'polygate',
    });
  });

  test.each([
    ['image', 'failed', 'TaskFailedError'],
    ['audio', 'failed', 'TaskFailedError'],
    ['material', 'failed', 'MaterialFailedError'],
    ['material', 'verification_failed', 'MaterialFailedError'],
    ['material', 'expired', 'MaterialFailedError'],
    ['material', 'delete_pending', 'MaterialFailedError'],
    ['material', 'deleted', 'MaterialFailedError'],
  ] as const)('of a wait for a %s that ends as %s has the error %s', (kind, status, type) => {
    const { attributes, events, ...span } = recording().run(
      { ...wait, kind },
      { data: { id: 'task_1', status } },
    );
    expect(attributes).toMatchObject({ 'error.type': type });
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(events.map((event) => event.attributes)).toEqual([{ 'polygate.status': status }]);
  });

  test.each(['succeeded', 'available', 'running', 'processing', '', undefined, 5])(
    'of a wait that ends as %s has no error',
    (status) => {
      const { attributes } = recording().run(wait, { data: { id: 'task_1', status } });
      expect(attributes).not.toHaveProperty('error.type');
    },
  );

  test('of a submission whose task failed immediately has no error', () => {
    const { attributes } = recording().run(submission, { data: { id: '1', status: 'failed' } });
    expect(attributes).not.toHaveProperty('error.type');
  });

  test('of a wait has an event for each status that differs from the one before', () => {
    const statuses = ['queued', 'queued', 'running', 'running'];
    const data = { id: 'task_1', status: 'succeeded' };
    const { events } = recording().run(
      wait,
      { data },
      statuses.map((status) => ({ type: 'status', status })),
    );
    const words = events.map(({ attributes }) => attributes?.['polygate.status']);
    expect(words).toEqual(['queued', 'running', 'succeeded']);
  });

  test('has an event for each retry, wait for a slot and new status', () => {
    const { events } = recording().run(chat, {}, [
      { type: 'queued', ms: 250 },
      { type: 'retry', attempt: 1, status: 503, delayMs: 500 },
      { type: 'retry', attempt: 2, status: undefined, delayMs: 1000 },
      { type: 'status', status: 'running' },
    ]);
    expect(events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['polygate.queued', { 'polygate.queue_ms': 250 }],
      [
        'polygate.retry',
        { 'polygate.attempt': 1, 'http.response.status_code': 503, 'polygate.delay_ms': 500 },
      ],
      ['polygate.retry', { 'polygate.attempt': 2, 'polygate.delay_ms': 1000 }],
      ['polygate.status', { 'polygate.status': 'running' }],
    ]);
  });

  test('is left alone after its end', () => {
    const { start, spans } = recording();
    const span = start(submission);
    span.end({});
    // The SDK warns about each change of a span that has ended.
    const warnings: string[] = [];
    const ignore = () => {};
    const warn = (message: string) => warnings.push(message);
    diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore });
    span.event(charge(0.04));
    span.event({ type: 'status', status: 'running' });
    span.end({ error: new Error('late') });
    diag.disable();
    expect(warnings).toEqual([]);
    expect(spans()).toHaveLength(1);
  });
});

describe('openTelemetry', () => {
  test.each([
    [{ tracerprovider: {} }, 'Did you mean tracerProvider?'],
    [{ tracerProvider: {} }, 'tracerProvider: must be a TracerProvider.'],
    [{ meterProvider: null }, 'meterProvider: must be a MeterProvider.'],
    [{ captureContent: 'yes' }, 'captureContent: must be true or false.'],
    [null, 'options: must be an object.'],
  ])('rejects the options %o', (options, message) => {
    const create = () => openTelemetry(options as object);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test('accepts options that are undefined', () => {
    const options = { tracerProvider: undefined, meterProvider: undefined };
    expect(openTelemetry({ ...options, captureContent: undefined })).toBeDefined();
  });
});
