import { describe, expect, test } from 'vitest';

import { caught, drain } from '../../client/support.ts';
import { chat, image, material, observed } from './observed.ts';

const duration = 'gen_ai.client.inference.duration';
const timeToFirstChunk = 'gen_ai.client.inference.time_to_first_chunk';
const inputTokens = 'gen_ai.client.inference.usage.input_tokens';
const outputTokens = 'gen_ai.client.inference.usage.output_tokens';

const requested = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'polygate',
  'gen_ai.request.model': 'aurora-chat',
  'server.address': 'mock.polygate.example',
  'server.port': 443,
};
const responded = { ...requested, 'gen_ai.response.model': 'aurora-chat' };

describe('after calls of every kind', () => {
  test('the duration has a value for each chat and each submission', async () => {
    const { gateway, mock, settle, metrics } = observed();
    await settle(gateway.chat.completions.create(chat));
    await settle(drain(gateway.chat.completions.stream(chat)));
    await settle(gateway.images.generate(image));
    await settle(gateway.models.list());
    await settle(gateway.materials.register(material));
    mock.fail({ status: 402 });
    await settle(caught(gateway.chat.completions.create(chat)));
    const found = (await metrics()).find(({ descriptor }) => descriptor.name === duration);
    const counts = found?.dataPoints.map(({ attributes, value }) => [
      attributes['gen_ai.operation.name'],
      attributes['error.type'],
      typeof value === 'object' && 'count' in value ? value.count : value,
    ]);
    expect(counts).toEqual([
      ['chat', undefined, 2],
      ['generate_image', undefined, 1],
      ['chat', 'PaymentRequiredError', 1],
    ]);
    expect(found?.dataPoints[0]?.attributes).toEqual(responded);
    expect(found?.dataPoints[2]?.attributes).toEqual({
      ...requested,
      'error.type': 'PaymentRequiredError',
    });
  });

  test('the time to the first chunk has a value for each stream', async () => {
    const { gateway, settle, points, spans } = observed();
    await settle(gateway.chat.completions.create(chat));
    await settle(drain(gateway.chat.completions.stream(chat)));
    const [point, ...others] = await points(timeToFirstChunk);
    expect(others).toEqual([]);
    const ofSpan = spans()[1]?.attributes['gen_ai.response.time_to_first_chunk'];
    expect(point).toEqual({ attributes: responded, value: ofSpan });
    expect(spans()[0]?.attributes).not.toHaveProperty('gen_ai.response.time_to_first_chunk');
  });

  test('the tokens are those that the service has reported', async () => {
    const { gateway, settle, points } = observed();
    const { usage: first } = await settle(gateway.chat.completions.create(chat));
    const streamed = gateway.chat.completions.stream({
      ...chat,
      stream_options: { include_usage: true },
    });
    const { usage: second } = await settle(streamed.final());
    await settle(gateway.images.generate(image));
    const attributes = { ...responded, 'gen_ai.token.modality': 'unknown' };
    const sum = (name: 'prompt_tokens' | 'completion_tokens') =>
      (first?.[name] ?? 0) + (second?.[name] ?? 0);
    expect(await points(inputTokens)).toEqual([{ attributes, value: sum('prompt_tokens') }]);
    expect(await points(outputTokens)).toEqual([{ attributes, value: sum('completion_tokens') }]);
    expect(sum('completion_tokens')).toBeGreaterThan(0);
  });

  test('each metric has its unit, and nothing else is exported', async () => {
    const { gateway, settle, metrics } = observed();
    await settle(drain(gateway.chat.completions.stream(chat)));
    const units = (await metrics()).map(({ descriptor }) => [descriptor.name, descriptor.unit]);
    expect(Object.fromEntries(units)).toEqual({
      [duration]: 's',
      [timeToFirstChunk]: 's',
      [inputTokens]: '{token}',
      [outputTokens]: '{token}',
      'polygate.client.charge': '{USD}',
      'polygate.client.requests.in_flight': '{request}',
    });
  });
});
