import * as schemas from 'polygate/schemas';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { chat, image, onMock } from '../../client/support.ts';
import { collect } from '../../support/rejection.ts';

const url = 'https://files.example/a.png';

/** A record of each kind, as the client returns it. */
async function records(): Promise<Partial<Record<keyof typeof schemas, object>>> {
  const { gateway, mock } = onMock();
  const settle = <T>(call: Promise<T>) => mock.clock.settle(call);
  const photo = await settle(gateway.images.generate(image));
  const video = await settle(gateway.videos.generate({ model: 'tide-video', prompt: 'A harbor' }));
  const music = await settle(
    gateway.audio.music.generate({ model: 'anthem-music', prompt: 'A shanty' }),
  );
  const [model] = await gateway.models.list();
  const [voice] = await gateway.voices.list();
  const [chunk] = await collect(await gateway.chat.completions.create({ ...chat, stream: true }));
  const task = await gateway.images.submit(image);
  return {
    modelRecord: model!,
    accountRecord: await gateway.account.retrieve(),
    readinessRecord: await gateway.account.readiness(),
    keyBalanceRecord: await gateway.account.balance(),
    chatCompletion: await gateway.chat.completions.create(chat),
    chatCompletionChunk: chunk!,
    imageTaskRecord: photo.raw,
    videoTaskRecord: video.raw,
    audioTaskRecord: music.raw,
    voiceRecord: voice!,
    materialRecord: await gateway.materials.create({ url, type: 'image' }),
    generation: photo,
    receipt: task.toJSON(),
  };
}

describe('record schemas', () => {
  test('accept what the client returns, and keep every field, documented or not', async () => {
    const all = Object.entries(await records());
    expect(all.map(([name]) => name)).toEqual(
      expect.arrayContaining(Object.keys(schemas).filter((name) => !name.endsWith('Params'))),
    );
    for (const [name, record] of all) {
      const withMore = { ...record, berth: 7 };
      expect([name, z.parse(schemaOf(name), withMore)]).toEqual([name, withMore]);
    }
  });

  test('reject a record without a field', async () => {
    for (const [name, record] of Object.entries(await records())) {
      const [first = ''] = Object.keys(record);
      const { [first]: _, ...others } = Object.fromEntries(Object.entries(record));
      expect([name, z.safeParse(schemaOf(name), others).success]).toEqual([name, false]);
    }
  });

  test('describe the state of a task as JSON', async () => {
    const { generation } = await records();
    const json: unknown = JSON.parse(JSON.stringify({ ...generation, createdAt: new Date(0) }));
    const [pending] = z.toJSONSchema(schemas.generation).oneOf ?? [];
    expect(pending?.properties?.createdAt).toMatchObject({ type: 'string', format: 'date-time' });
    expect(json).toHaveProperty('createdAt', '1970-01-01T00:00:00.000Z');
  });
});

function schemaOf(name: string): z.core.$ZodType {
  const found = Object.entries(schemas).find(([known]) => known === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found[1];
}
