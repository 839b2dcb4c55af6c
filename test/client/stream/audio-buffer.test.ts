import { describe, expect, test } from 'vitest';

import { deltaEvent, doneEvent, finishEvent, streamOf } from '../../support/event-stream.ts';

/** The audio of the first message that `final()` returns for deltas with these audio fields. */
async function audio(...deltas: readonly unknown[]): Promise<unknown> {
  const events = deltas.map((delta) => deltaEvent({ audio: delta }));
  const { choices } = await streamOf([...events, finishEvent(), doneEvent]).final();
  return choices[0]?.message.audio;
}

const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256);
const encode = (part: Uint8Array) => Buffer.from(part).toString('base64');
const whole = encode(bytes);

/** Cuts a list or text into pieces of this length. */
function cut<Whole extends string | Uint8Array>(list: Whole, size: number): Whole[] {
  const starts = Array.from({ length: Math.ceil(list.length / size) }, (_, index) => index * size);
  return starts.map((start) => list.slice(start, start + size) as Whole);
}

describe('streamed audio', () => {
  test('has its id, its expiry time, and all of its data and transcript', async () => {
    expect(
      await audio(
        { id: 'audio_1', transcript: 'Good' },
        { transcript: ' morning' },
        { id: 'audio_1', data: 'AAAA' },
        null,
        { data: 'BBBB', format: 'pcm16' },
        { expires_at: 1_700_000_000 },
      ),
    ).toEqual({
      id: 'audio_1',
      transcript: 'Good morning',
      data: 'AAAABBBB',
      format: 'pcm16',
      expires_at: 1_700_000_000,
    });
  });

  test.each([1, 2, 3, 100, 333, 999])(
    'is one valid encoding, whether the bytes or their base64 are split every %i',
    async (size) => {
      const encodedPieces = cut(bytes, size).map((part) => ({ data: encode(part) }));
      expect(await audio(...encodedPieces)).toEqual({ data: whole });
      expect(await audio(...cut(whole, size).map((data) => ({ data })))).toEqual({ data: whole });
    },
  );

  test('that is not base64 is kept as sent', async () => {
    expect(await audio({ data: 'ü=' }, { data: '?=' })).toEqual({ data: 'ü=?=' });
  });

  test('that is not an object is kept as sent', async () => {
    expect(await audio('https://host.example/a.wav')).toBe('https://host.example/a.wav');
    expect(await audio(null)).toBeNull();
  });
});
