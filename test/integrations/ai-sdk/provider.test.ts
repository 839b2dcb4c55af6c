import { NoSuchModelError } from '@ai-sdk/provider';
import { createProviderRegistry, embed, generateImage, generateText } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';
import { describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { unchecked } from '../../../src/wire/types/schema.ts';
import { onProvider } from './support.ts';

describe('createPolygate', () => {
  test('creates a client from its options', async () => {
    const { mock, settle } = onProvider();
    const { apiKey, baseURL, fetch, clock } = mock;
    const polygate = createPolygate({ apiKey, baseURL, fetch, clock });
    expect(polygate.client).toBeInstanceOf(Polygate);
    await settle(generateText({ model: polygate('aurora-chat'), prompt: 'Hello' }));
    expect(polygate.client.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('uses the client that it is given', () => {
    const { gateway } = onProvider();
    expect(createPolygate({ client: gateway }).client).toBe(gateway);
  });

  test('rejects a client of a version that does not share what integrations need', () => {
    const { gateway } = onProvider();
    const { models, images, fetch, baseURL } = gateway;
    const client = unchecked<Polygate>({ models, images, fetch, baseURL });
    expect(() => createPolygate({ client })).toThrow(
      /^gateway: must be a Polygate of the same version/,
    );
  });

  test('rejects unknown options', () => {
    expect(() =>
      createPolygate({ apiKey: 'sk-1', baseUrl: 'https://a.example' } as object),
    ).toThrow('baseURL');
  });

  test('names its models and their providers', () => {
    const { polygate } = onProvider();
    const { languageModel, chatModel, imageModel, image, speechModel, speech } = polygate;
    const { videoModel, video } = polygate;
    const models = [polygate, languageModel, chatModel, imageModel, image, speechModel, speech];
    const names = [...models, videoModel, video].map((create) => {
      const { provider, modelId, specificationVersion } = create('some-model');
      return `${specificationVersion} ${provider} ${modelId}`;
    });
    expect(names).toEqual(
      ['chat', 'chat', 'chat', 'image', 'image', 'speech', 'speech', 'video', 'video'].map(
        (kind) => `v4 polygate.${kind} some-model`,
      ),
    );
    expect(polygate.specificationVersion).toBe('v4');
  });

  test.each(['embeddingModel', 'transcriptionModel', 'rerankingModel'] as const)(
    '%s throws NoSuchModelError',
    (modelType) => {
      const { polygate } = onProvider();
      expect(() => polygate[modelType]?.('some-model')).toThrow(
        expect.objectContaining({ modelId: 'some-model', modelType }),
      );
      expect(() => polygate[modelType]?.('some-model')).toThrow(NoSuchModelError);
    },
  );
});

describe('a provider registry', () => {
  test('resolves the models of the provider', async () => {
    const { mock, polygate, settle } = onProvider();
    const registry = createProviderRegistry({ polygate });
    const model = registry.languageModel('polygate:aurora-chat');
    await settle(generateText({ model, prompt: 'Hello' }));
    const imageModel = registry.imageModel('polygate:prism-image');
    await settle(generateImage({ model: imageModel, prompt: 'A harbor' }));
    expect(registry.speechModel('polygate:echo-speech').provider).toBe('polygate.speech');
    expect(registry.videoModel('polygate:tide-video')).toMatchObject({
      provider: 'polygate.video',
    });
    expect(mock.invoice).toHaveLength(2);
  });

  test('throws NoSuchModelError for models that the service does not have', async () => {
    const { mock, polygate } = onProvider();
    const registry = createProviderRegistry({ polygate });
    const missing = [
      () => registry.embeddingModel('polygate:some-model'),
      () => registry.transcriptionModel('polygate:some-model'),
      () => registry.rerankingModel('polygate:some-model'),
    ];
    for (const resolve of missing) expect(resolve).toThrow(NoSuchModelError);
    const call = async () =>
      embed({ model: registry.embeddingModel('polygate:some-model'), value: 'Hello' });
    await expect(call()).rejects.toThrow(NoSuchModelError);
    expect(mock.requests).toEqual([]);
  });
});
