import { expect, test } from 'vitest';

import { chat, image, observed } from './observed.ts';

test('each model has a span, and the next one has an event with the model that failed', async () => {
  const { gateway, mock, settle, span } = observed({}, { maxRetries: 0 });
  mock.fail({ model: 'aurora-chat', status: 503 });
  const fallback = ['aurora-reasoner'];
  await settle(gateway.chat.completions.create(chat, { fallback }));
  const [first, second] = [span('chat aurora-chat'), span('chat aurora-reasoner')];
  expect(first.attributes).toMatchObject({
    'gen_ai.request.model': 'aurora-chat',
    'error.type': 'ServiceUnavailableError',
  });
  expect(first.events).toEqual([]);
  expect(second.attributes).toMatchObject({ 'gen_ai.request.model': 'aurora-reasoner' });
  expect(second.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    [
      'polygate.fallback',
      {
        'polygate.failed_model': 'aurora-chat',
        'http.response.status_code': 503,
      },
    ],
  ]);
});

test('the spans of all models are children of generate', async () => {
  const { gateway, mock, settle, span } = observed({}, { maxRetries: 0 });
  mock.fail({ model: 'prism-image', unreachable: true });
  await settle(gateway.images.generate(image, { fallback: ['prism-sketch'] }));
  const parent = span('generate image').spanContext().spanId;
  for (const name of ['generate_image prism-image', 'generate_image prism-sketch']) {
    expect(span(name).parentSpanContext?.spanId).toBe(parent);
  }
  expect(span('generate_image prism-sketch').events[0]?.attributes).toEqual({
    'polygate.failed_model': 'prism-image',
  });
});
