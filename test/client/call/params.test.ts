import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, clientOf, completed, scripted } from '../support.ts';

const calls: Readonly<Record<string, (gateway: Polygate, params: any) => Promise<unknown>>> = {
  'chat.completions.create': (gateway, params) => gateway.chat.completions.create(params),
  'chat.completions.run': (gateway, params) => gateway.chat.completions.run(params),
  'images.submit': (gateway, params) => gateway.images.submit(params),
  'videos.submit': (gateway, params) => gateway.videos.submit(params),
  'audio.music.submit': (gateway, params) => gateway.audio.music.submit(params),
  'audio.speech.submit': (gateway, params) => gateway.audio.speech.submit(params),
  'voices.clone': (gateway, params) => gateway.voices.clone(params),
  'voices.design': (gateway, params) => gateway.voices.design(params),
  'materials.create': (gateway, params) => gateway.materials.create(params),
  'materials.register': (gateway, params) => gateway.materials.register(params),
};

describe.each(Object.entries(calls))('%s()', (_, call) => {
  test.each([[undefined], [null], ['A harbor'], [[]], [7]])(
    'rejects params that are %j before sending a request',
    async (params) => {
      const { fetch, sent } = scripted(completed);
      const error = await caught(call(clientOf(fetch), params));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toBe('params: must be an object.');
      expect(sent).toEqual([]);
    },
  );
});
