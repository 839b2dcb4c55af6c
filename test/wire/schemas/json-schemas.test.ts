import { expect, test } from 'vitest';
import { z } from 'zod';

import { createMockGateway } from '../../../src/mock/index.ts';
import * as account from '../../../src/wire/schemas/catalog/account.ts';
import * as errors from '../../../src/wire/schemas/catalog/errors.ts';
import * as models from '../../../src/wire/schemas/catalog/models.ts';
import * as pricing from '../../../src/wire/schemas/catalog/pricing.ts';
import * as publicRecords from '../../../src/wire/schemas/catalog/public.ts';
import * as completion from '../../../src/wire/schemas/chat/completion.ts';
import * as messages from '../../../src/wire/schemas/chat/messages.ts';
import * as chat from '../../../src/wire/schemas/chat/params.ts';
import * as audio from '../../../src/wire/schemas/media/audio.ts';
import * as images from '../../../src/wire/schemas/media/images.ts';
import * as materials from '../../../src/wire/schemas/media/materials.ts';
import * as videos from '../../../src/wire/schemas/media/videos.ts';
import * as voices from '../../../src/wire/schemas/media/voices.ts';
import * as tasks from '../../../src/wire/schemas/tasks/task.ts';

const schemas: Record<string, z.core.$ZodType> = {
  ...account,
  ...errors,
  ...models,
  ...pricing,
  ...publicRecords,
  ...completion,
  ...messages,
  ...chat,
  ...audio,
  ...images,
  ...materials,
  ...videos,
  ...voices,
  ...tasks,
};

test.each(['input', 'output'] as const)(
  'the %s of every schema is the same JSON schema as before',
  async (io) => {
    const all = Object.entries(schemas).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
    ]);
    await expect(textOf(Object.fromEntries(all))).toMatchFileSnapshot(`json-schemas-${io}.snap`);
  },
);

test('the OpenAPI document is the same as before', async () => {
  const mock = createMockGateway();
  const response = await mock.fetch(`${mock.baseURL}/v1/openapi.json`);
  await expect(textOf(await response.json())).toMatchFileSnapshot('openapi.snap');
});

/** JSON with the fields of all objects in the same order, and lists of names as sets. */
function textOf(value: unknown): string {
  const sort = (name: string, part: unknown): unknown => {
    if (Array.isArray(part))
      return name === 'required' ? part.toSorted((a, b) => (a < b ? -1 : 1)) : part;
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return `${JSON.stringify(value, sort, 1)}\n`;
}
