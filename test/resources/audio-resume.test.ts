import { expect, test } from 'vitest';

import { onMock, thrown } from '../client/support.ts';

const music = { model: 'anthem-music', prompt: 'A shanty' };

test('music and speech resume tasks from receipts and ids', async () => {
  const { mock, gateway } = onMock();
  const submitted = await gateway.audio.music.submit(music);
  const receipt = submitted.toJSON();
  for (const namespace of [gateway.audio.music, gateway.audio.speech]) {
    expect(namespace.task(receipt)).toMatchObject({ id: receipt.id, kind: 'audio' });
    const done = await mock.clock.settle(namespace.wait(receipt.id));
    expect(done).toMatchObject({ id: receipt.id, status: 'succeeded' });
    expect(await namespace.retrieve(receipt.id)).toMatchObject({ status: 'succeeded' });
  }
  expect(mock.invoice).toHaveLength(1);
});

test('a receipt of another kind is rejected', () => {
  const { gateway } = onMock();
  const receipt: any = { v: 1, kind: 'image', id: 'task_1' };
  expect(thrown(() => gateway.audio.speech.task(receipt)).name).toBe('ConfigurationError');
});
