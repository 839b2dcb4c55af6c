import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { caught, drain } from '../../client/support.ts';
import { failureOf, type } from './failure-of.ts';
import { chat, image, observed } from './observed.ts';

const chatSpan = 'chat aurora-chat';
const imageSpan = 'generate_image prism-image';
const create = (gateway: Polygate) => gateway.chat.completions.create(chat);
const submit = (gateway: Polygate) => gateway.images.submit(image);
const stream = (gateway: Polygate) => drain(gateway.chat.completions.stream(chat));
const once = { maxRetries: 0 };

describe('a failed call has its error, its outcome and its request id', () => {
  test.each<[string, Fault, string, string]>([
    ['400', { status: 400 }, 'BadRequestError', 'rejected'],
    ['401', { status: 401 }, 'AuthenticationError', 'rejected'],
    ['402', { status: 402 }, 'PaymentRequiredError', 'rejected'],
    ['403', { status: 403 }, 'PermissionDeniedError', 'rejected'],
    ['404', { status: 404 }, 'NotFoundError', 'rejected'],
    ['409', { status: 409 }, 'ConflictError', 'rejected'],
    ['429', { status: 429, code: 'rate_limit_exceeded' }, 'RateLimitError', 'rejected'],
    ['500', { status: 500 }, 'ServerError', 'unknown'],
    ['503', { status: 503 }, 'ServiceUnavailableError', 'rejected'],
    ['302', { status: 302, body: '' }, 'APIError', 'rejected'],
  ])('with status %s', async (_, fault, name, outcome) => {
    for (const [call, span] of [
      [create, chatSpan],
      [stream, chatSpan],
      [submit, imageSpan],
    ] as const) {
      const memory = observed({}, once);
      memory.mock.fail(fault);
      const attributes = await failureOf(memory, call, span);
      expect(attributes).toMatchObject(type(name, outcome));
      expect(attributes['polygate.request_id']).toBe(memory.mock.requests[0]?.requestId);
      expect(attributes['polygate.replayed']).toBe(false);
      expect(attributes).not.toHaveProperty('polygate.charge_usd');
    }
  });

  test('with a status, of a call without a model', async () => {
    const memory = observed({}, once);
    const call = (gateway: Polygate) => gateway.models.retrieve('unknown');
    const name = 'GET /v1/models/{model}';
    const attributes = await failureOf(memory, call, name);
    expect(attributes).toMatchObject(type('NotFoundError', 'rejected'));
    expect(attributes['polygate.request_id']).toBe(memory.mock.requests[0]?.requestId);
  });

  test('with the error of a hook', async () => {
    const fail = () => {
      throw new Error('A hook is broken');
    };
    const memory = observed({}, { ...once, hooks: { beforeRequest: [fail] } });
    const attributes = await failureOf(memory, submit, imageSpan);
    expect(attributes).toMatchObject(type('HookError', 'not-sent'));
  });

  test('of gateway.fetch, whose response has an error status', async () => {
    const memory = observed({}, once);
    memory.mock.fail({ status: 402 });
    const init = { method: 'POST', body: new TextEncoder().encode(JSON.stringify(chat)) };
    const response = await memory.settle(memory.gateway.fetch('/v1/chat/completions', init));
    expect(response.status).toBe(402);
    const { attributes, status } = memory.span(chatSpan);
    expect(attributes).toMatchObject(type('PaymentRequiredError', 'rejected'));
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  });
});

describe('a call without a response has its error and its outcome', () => {
  test.each<[string, Fault, string, string]>([
    ['lost before it was sent', { unreachable: true }, 'ConnectionError', 'not-sent'],
    ['lost before it was handled', { reset: 'before' }, 'ConnectionError', 'unknown'],
    ['lost after it was handled', { reset: 'after' }, 'ConnectionError', 'unknown'],
    ['timed out', { stallHeaders: true }, 'RequestTimeoutError', 'unknown'],
  ])('when the connection is %s', async (_, fault, name, outcome) => {
    for (const [call, span] of [
      [create, chatSpan],
      [submit, imageSpan],
    ] as const) {
      const memory = observed({}, once);
      memory.mock.fail(fault);
      const attributes = await failureOf(memory, call, span);
      expect(attributes).toMatchObject(type(name, outcome));
      expect(attributes).not.toHaveProperty('polygate.request_id');
    }
  });

  test.each<[string, (gateway: Polygate, signal: AbortSignal) => Promise<unknown>, string]>([
    ['create', (gateway, signal) => gateway.chat.completions.create(chat, { signal }), chatSpan],
    [
      'stream',
      (gateway, signal) => drain(gateway.chat.completions.stream(chat, { signal })),
      chatSpan,
    ],
    ['submit', (gateway, signal) => gateway.images.submit(image, { signal }), imageSpan],
  ])('when the caller aborts: %s', async (_, call, name) => {
    const memory = observed({ latencyMs: 1000 });
    const controller = new AbortController();
    void memory.mock.clock.sleep(500).then(() => controller.abort());
    const aborted = (gateway: Polygate) => call(gateway, controller.signal);
    expect(await failureOf(memory, aborted, name)).toMatchObject(type('AbortedError', 'unknown'));
  });

  test('when the caller has aborted before', async () => {
    const memory = observed();
    const call = (gateway: Polygate) =>
      gateway.images.submit(image, { signal: AbortSignal.abort() });
    expect(await failureOf(memory, call, imageSpan)).toMatchObject(
      type('AbortedError', 'not-sent'),
    );
    expect(memory.mock.requests).toEqual([]);
  });

  test('when the total time is up', async () => {
    const memory = observed({ latencyMs: 1000 }, { totalTimeout: 500 });
    expect(await failureOf(memory, submit, imageSpan)).toMatchObject(
      type('RequestTimeoutError', 'unknown'),
    );
  });

  test('when the budget is exceeded', async () => {
    const memory = observed({}, { budget: { maxUsd: 0.01 } });
    await memory.settle(memory.gateway.models.list());
    expect(await failureOf(memory, submit, imageSpan)).toMatchObject(
      type('BudgetExceededError', 'not-sent'),
    );
  });

  test('when no slot becomes free', async () => {
    const memory = observed({ concurrencyLimit: 1, latencyMs: 5000 }, { maxQueueTime: 1000 });
    await memory.settle(memory.gateway.models.list());
    const first = memory.gateway.chat.completions.create(chat);
    const call = (gateway: Polygate) => gateway.images.submit(image);
    // Learns the limit.
    await memory.settle(first);
    const busy = memory.gateway.chat.completions.create(chat);
    expect(await failureOf(memory, call, imageSpan)).toMatchObject(
      type('ConcurrencyLimitError', 'not-sent'),
    );
    await memory.settle(busy);
  });
});

describe('a failed stream has its error and what was received', () => {
  test.each<[string, Fault, string]>([
    ['is truncated', { cutStreamAfter: 2 }, 'StreamTruncatedError'],
    ['ends without [DONE]', { cutStreamAfter: 2, cut: 'end' }, 'StreamTruncatedError'],
    ['has an error event', { streamErrorAfter: 2 }, 'StreamError'],
    ['is idle', { stallBody: 300 }, 'StreamIdleTimeoutError'],
  ])('that %s', async (_, fault, name) => {
    for (const call of [
      stream,
      async (gateway: Polygate) =>
        drain(await gateway.chat.completions.create({ ...chat, stream: true })),
    ]) {
      const memory = observed({}, { streamIdleTimeout: 1000 });
      memory.mock.fail(fault);
      const attributes = await failureOf(memory, call, chatSpan);
      expect(attributes).toMatchObject(type(name, 'unknown'));
      expect(attributes).toMatchObject({
        'gen_ai.request.stream': true,
        'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
        'gen_ai.response.model': 'aurora-chat',
        'gen_ai.response.finish_reasons': ['error'],
        'gen_ai.response.time_to_first_chunk': expect.any(Number),
        'polygate.request_id': memory.mock.requests[0]?.requestId,
        'polygate.charge_usd': memory.mock.invoice[0]?.usd,
      });
    }
  });

  test.each<[string, Fault, string]>([
    ['is truncated', { cutStreamAfter: 2 }, 'StreamTruncatedError'],
    ['has an error event', { streamErrorAfter: 2 }, 'StreamError'],
    ['is idle', { stallBody: 300 }, 'StreamIdleTimeoutError'],
  ])('of gateway.fetch that %s', async (_, fault, name) => {
    const memory = observed({}, { streamIdleTimeout: 1000 });
    memory.mock.fail(fault);
    const body = new TextEncoder().encode(JSON.stringify({ ...chat, stream: true }));
    const init = { method: 'POST', body };
    const response = await memory.settle(memory.gateway.fetch('/v1/chat/completions', init));
    await memory.settle(response.text().catch(() => undefined));
    const { attributes, status } = memory.span(chatSpan);
    expect(attributes).toMatchObject(type(name, 'unknown'));
    expect(attributes['polygate.request_id']).toBe(memory.mock.requests[0]?.requestId);
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  });

  test('that the caller aborts or cancels', async () => {
    const memory = observed();
    const { gateway, settle } = memory;
    const opened = gateway.chat.completions.stream(chat);
    await settle(opened[Symbol.asyncIterator]().next());
    opened.abort();
    await settle(caught(opened.final()));
    const params = { ...chat, stream: true } as const;
    const response = await settle(gateway.chat.completions.create(params).asResponse());
    await settle(Promise.resolve(response.body?.cancel()));
    const types = memory.spans().map(({ attributes }) => attributes['error.type']);
    expect(types).toEqual(['AbortedError', 'AbortedError']);
  });

  test('that is never read, has the idle timeout', async () => {
    const memory = observed({}, { streamIdleTimeout: 1000 });
    const { gateway, mock, settle, spans } = memory;
    await settle(gateway.chat.completions.create({ ...chat, stream: true }));
    await mock.clock.advance(1000);
    const types = spans().map(({ attributes }) => attributes['error.type']);
    expect(types).toEqual(['StreamIdleTimeoutError']);
  });
});
