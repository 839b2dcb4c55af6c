import { expect, test } from 'vitest';

import { drain } from '../../client/support.ts';
import { wrongNames } from './names.ts';
import { chat, image, observed } from './observed.ts';

const deprecated = [
  'gen_ai.system',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.client.operation.duration',
  'gen_ai.client.operation.time_to_first_chunk',
  'gen_ai.client.operation.time_per_output_chunk',
  'gen_ai.client.token.usage',
  'gen_ai.server.request.duration',
  'gen_ai.server.time_to_first_token',
  'gen_ai.server.time_per_output_token',
  'gen_ai.token.type',
  'gen_ai.response.time_to_first_token',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
  'gen_ai.user.message',
  'gen_ai.choice',
  'gen_ai.openai.request.service_tier',
];
const nothing = { spans: [], metrics: [] };
const span = { attributes: {}, events: [] };

// `observed` makes this check for everything that the tests export.
test.each(deprecated)('the deprecated name %s is found wherever it is', (name) => {
  const attributes = { [name]: 1 };
  const marked = [`${name} (deprecated)`];
  const found = (exported: object) => wrongNames({ ...nothing, ...exported }, true);
  expect(found({ spans: [{ ...span, attributes }] })).toEqual(marked);
  expect(found({ spans: [{ ...span, events: [{ name }] }] })).toEqual(marked);
  const events = [{ name: 'polygate.retry', attributes }];
  expect(found({ spans: [{ ...span, events }] })).toEqual(marked);
  const metric = { descriptor: { name: 'polygate.client.charge' }, dataPoints: [{ attributes }] };
  expect(found({ metrics: [metric] })).toEqual(marked);
  expect(found({ metrics: [{ ...metric, descriptor: { name }, dataPoints: [] }] })).toEqual(marked);
});

test('names that are not in the contract are found, and content without captureContent', () => {
  const attributes = { 'polygate.prompt': 1, 'gen_ai.input.messages': '[]' };
  const exported = { ...nothing, spans: [{ ...span, attributes }] };
  expect(wrongNames(exported, true)).toEqual(['polygate.prompt']);
  expect(wrongNames(exported, false)).toEqual(['polygate.prompt', 'gen_ai.input.messages']);
  const events = [{ name: 'polygate.queued', attributes: { 'polygate.attempt': 1 } }];
  expect(wrongNames({ ...nothing, spans: [{ ...span, events }] }, false)).toEqual([
    'polygate.attempt',
  ]);
});

test('what is exported has all names of the contract', async () => {
  const { gateway, mock, settle, spans } = observed({ concurrencyLimit: 1, latencyMs: 100 });
  mock.fail({ status: 503, attempt: 2 });
  await settle(gateway.chat.completions.create(chat));
  const stream_options = { include_usage: true };
  const both = [
    drain(gateway.chat.completions.stream({ ...chat, stream_options })),
    gateway.images.generate(image),
  ];
  await settle(Promise.all(both));
  mock.fail({ status: 402 });
  await settle(Promise.allSettled([gateway.chat.completions.create(chat)]));
  const names = spans().flatMap(({ attributes, events }) => [
    ...Object.keys(attributes),
    ...events.flatMap((event) => [event.name, ...Object.keys(event.attributes ?? {})]),
  ]);
  expect([...new Set(names)].toSorted()).toEqual([
    'error.type',
    'gen_ai.operation.name',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.request.stream',
    'gen_ai.response.finish_reasons',
    'gen_ai.response.id',
    'gen_ai.response.model',
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.output_tokens',
    'http.response.status_code',
    'polygate.attempt',
    'polygate.charge_usd',
    'polygate.delay_ms',
    'polygate.outcome',
    'polygate.queue_ms',
    'polygate.queued',
    'polygate.replayed',
    'polygate.request_id',
    'polygate.retry',
    'polygate.status',
    'polygate.task_id',
    'server.address',
    'server.port',
  ]);
});
