import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { drain } from '../../client/support.ts';
import { chatParams as withTools, tool } from '../../support/tools.ts';
import { chat, observed } from './observed.ts';
import type { Observed } from './observed.ts';

const schema = z.object({ city: z.string() });
const body = (stream?: boolean) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ...chat, stream }),
});
const streamed = { ...chat, stream: true as const, stream_options: { include_usage: true } };

const common = (requestId: unknown) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'polygate',
  'gen_ai.request.model': 'aurora-chat',
  'server.address': 'mock.polygate.example',
  'server.port': 443,
  'polygate.request_id': requestId,
  'polygate.replayed': false,
});
const ofCompletion = {
  'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
  'gen_ai.response.model': 'aurora-chat',
  'gen_ai.response.finish_reasons': ['stop'],
};
const ofUsage = {
  'gen_ai.usage.input_tokens': expect.any(Number),
  'gen_ai.usage.output_tokens': expect.any(Number),
};
const ofStream = {
  'gen_ai.request.stream': true,
  'gen_ai.response.time_to_first_chunk': expect.any(Number),
};

describe('a chat is one client span', () => {
  test.each<[string, (observed: Observed) => Promise<unknown>, object]>([
    [
      'create',
      ({ gateway }) => gateway.chat.completions.create(chat),
      { ...ofCompletion, ...ofUsage },
    ],
    [
      'parse',
      ({ gateway }) => gateway.chat.completions.parse({ ...chat, response_format: schema }),
      { ...ofCompletion, ...ofUsage },
    ],
    [
      'stream',
      ({ gateway }) => drain(gateway.chat.completions.stream(streamed)),
      { ...ofCompletion, ...ofUsage, ...ofStream },
    ],
    [
      'stream without usage',
      ({ gateway }) => gateway.chat.completions.stream(chat).final(),
      { ...ofCompletion, ...ofStream },
    ],
    [
      'create with stream: true',
      async ({ gateway }) => drain(await gateway.chat.completions.create(streamed)),
      { ...ofCompletion, ...ofUsage, ...ofStream },
    ],
    [
      'toReadableStream',
      ({ gateway }) =>
        new Response(gateway.chat.completions.stream(streamed).toReadableStream()).text(),
      { ...ofCompletion, ...ofUsage, ...ofStream },
    ],
    // The caller reads the body, so the client does not know what it contains.
    [
      'asResponse',
      async ({ gateway }) => (await gateway.chat.completions.create(chat).asResponse()).json(),
      {},
    ],
    [
      'asResponse of a stream',
      async ({ gateway }) => (await gateway.chat.completions.create(streamed).asResponse()).text(),
      { 'gen_ai.request.stream': true },
    ],
    [
      'gateway.fetch',
      async ({ gateway }) => (await gateway.fetch('/v1/chat/completions', body())).json(),
      { ...ofCompletion, ...ofUsage },
    ],
    [
      'gateway.fetch with the body as bytes',
      async ({ gateway }) => {
        const bytes = new TextEncoder().encode(JSON.stringify(chat));
        return gateway.fetch('/v1/chat/completions', { method: 'POST', body: bytes });
      },
      { ...ofCompletion, ...ofUsage },
    ],
    [
      'gateway.fetch of a stream',
      async ({ gateway }) => (await gateway.fetch('/v1/chat/completions', body(true))).text(),
      { ...ofCompletion, ...ofStream },
    ],
  ])('with %s', async (_, call, attributes) => {
    const gateway = observed();
    await gateway.settle(call(gateway));
    expect(gateway.outline()).toEqual(['chat aurora-chat']);
    const span = gateway.span('chat aurora-chat');
    expect(span).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(span.attributes).toEqual({
      ...common(gateway.mock.requests[0]?.requestId),
      ...attributes,
      'polygate.charge_usd': gateway.gateway.spend.totalUsd,
    });
    expect(span.events).toEqual([]);
  });

  test('with the number of tokens that the service reports, and one finish reason per choice', async () => {
    const { gateway, settle, span } = observed();
    const { usage } = await settle(gateway.chat.completions.create({ ...chat, n: 2 }));
    expect(span('chat aurora-chat').attributes).toMatchObject({
      'gen_ai.usage.input_tokens': usage?.prompt_tokens,
      'gen_ai.usage.output_tokens': usage?.completion_tokens,
      'gen_ai.response.finish_reasons': ['stop', 'stop'],
    });
  });

  test('per round of a run with tools', async () => {
    const { gateway, settle, spans, outline } = observed();
    const tools = [tool('get_weather')];
    const run = await settle(gateway.chat.completions.run({ ...withTools, tools }));
    expect(outline()).toEqual(['chat aurora-chat']);
    const reasons = spans().map(({ attributes }) => attributes['gen_ai.response.finish_reasons']);
    expect(reasons).toEqual([['tool_calls'], ['stop']]);
    const charges = spans().map(({ attributes }) => attributes['polygate.charge_usd']);
    expect(charges).toEqual(run.rounds.map(({ meta }) => meta.chargeUsd));
  });
});

describe('the span of a stream', () => {
  test('ends with the stream', async () => {
    const { gateway, mock, spans, started } = observed({ chunkDelayMs: 100 });
    const stream = gateway.chat.completions.stream(chat);
    const read = drain(stream);
    await mock.clock.advance(150);
    expect([started.length, spans().length]).toEqual([1, 0]);
    await mock.clock.settle(read);
    expect(spans()).toHaveLength(1);
  });

  test('that is left early, has an error', async () => {
    const { gateway, settle, span } = observed();
    const left = async () => {
      for await (const chunk of gateway.chat.completions.stream(chat)) if (chunk) break;
    };
    await settle(left());
    expect(span('chat aurora-chat').attributes).toMatchObject({
      'error.type': 'AbortedError',
      'polygate.outcome': 'unknown',
    });
  });

  test('is one span with tee and several readers', async () => {
    const { gateway, settle, outline } = observed();
    const [left, right] = await settle(
      gateway.chat.completions.create({ ...chat, stream: true }).then((stream) => stream.tee()),
    );
    await settle(Promise.all([drain(left), drain(right)]));
    expect(outline()).toEqual(['chat aurora-chat']);
  });
});
