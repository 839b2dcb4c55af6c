import { describe, expect, test } from 'vitest';

import { TaskFailedError } from '../../src/index.ts';
import {
  jsonReply,
  clientOf,
  onMock,
  scripted,
  submitted,
  virtualClock,
} from '../client/support.ts';
import { records, states } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const music = { model: 'anthem-music', prompt: 'A shanty' };
const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'calm-narrator' };

describe('an audio task', () => {
  const finished = async (outcome: 'succeeded' | 'failed') => {
    const { gateway, mock } = onMock({ tasks: { outcome } });
    const task = await gateway.audio.music.submit(music);
    await mock.clock.advance(10_000);
    const read = (await gateway.audio.retrieve(task.id)).raw;
    const sent: unknown = await (await gateway.audio.retrieve(task.id).asResponse()).json();
    return { read, sent };
  };

  test.each(rows(records['Audio task']))('returns %s', async (_, field) => {
    expect(
      difference(field, [await finished('succeeded'), await finished('failed')]),
    ).toBeUndefined();
  });

  test('passes through its documented statuses, with progress and the submission time', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.audio.music.submit(music);
    const generations = [task.latest];
    for (const ms of [3_000, 4_000]) {
      await mock.clock.advance(ms);
      generations.push(await gateway.audio.retrieve(task.id));
    }
    expect(
      generations.map(({ status, rawStatus, progress }) => [status, rawStatus, progress]),
    ).toEqual([
      ['queued', 'queued', 0],
      ['running', 'in_progress', 50],
      ['succeeded', 'completed', 100],
    ]);
    expect(generations.map(({ raw }) => raw.raw_status)).toEqual([
      'SUBMITTED',
      'IN_PROGRESS',
      'SUCCESS',
    ]);
    expect(generations[2]).toMatchObject({ model: 'anthem-music' });
    expect(generations[2]?.createdAt).toEqual(new Date('2026-05-01T00:00:00Z'));
  });

  const url = 'https://files.example/piece.mp3';
  const expectedStatus: Record<string, string> = {
    queued: 'queued',
    in_progress: 'running',
    processing: 'running',
    completed: 'succeeded',
    succeeded: 'succeeded',
    failed: 'failed',
    SUBMITTED: 'queued',
    IN_PROGRESS: 'running',
    SUCCESS: 'succeeded',
    FAILURE: 'failed',
  };

  test.each(states['Audio task status'])('understands the status %s', async (status) => {
    const { fetch } = scripted(jsonReply(200, { id: 'task_1', status, audio_url: url }));
    const { audio } = clientOf(fetch);
    const expected = { status: expectedStatus[status], rawStatus: status };
    expect(await audio.retrieve('task_1')).toMatchObject(expected);
  });

  test.each(states['Audio task raw_status'])('understands the raw_status %s', async (rawStatus) => {
    const record = { id: 'task_1', raw_status: rawStatus, audio_url: url };
    const { audio } = clientOf(scripted(jsonReply(200, record)).fetch);
    const read = await audio.retrieve('task_1');
    expect(read).toMatchObject({ status: expectedStatus[rawStatus], raw: record });
  });

  test('succeeds with output.audio_url instead of a result', async () => {
    const { gateway, mock } = onMock({ assumptions: { A5: 'output' } });
    const generation = await mock.clock.settle(gateway.audio.music.generate(music));
    expect(generation.raw).toMatchObject({
      result: null,
      output: { audio_url: generation.urls[0] },
    });
    const bare = { id: 'task_1', status: 'succeeded', output: { audio_url: url } };
    const clock = virtualClock();
    const { audio } = clientOf(scripted(submitted, jsonReply(200, bare)).fetch, { clock });
    expect((await clock.settle(audio.speech.generate(speech))).urls).toEqual([url]);
  });

  test('reports error.message when it fails', async () => {
    const { gateway, mock } = onMock({ tasks: { outcome: 'failed' } });
    const error = await rejection(
      TaskFailedError,
      mock.clock.settle(gateway.audio.speech.generate(speech)),
    );
    expect(error.generation.error?.message).toBe('The model could not finish this task');
    expect(error.message).toContain('The model could not finish this task');
    expect(error.task).toMatchObject({ id: mock.tasks[0]?.id, kind: 'audio' });
  });
});
