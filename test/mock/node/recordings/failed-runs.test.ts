import { existsSync } from 'node:fs';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../../../src/index.ts';
import { recordings } from '../../../../src/mock/node/index.ts';
import { rejection } from '../../../support/rejection.ts';
import { chat, image, startRecording } from './support.ts';

/** Warnings of a test, which belong to it. */
function warnings() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.map(([text]) => String(text));
}

/** Runs a test program as test runners do: the tape is disposed of whether or not it fails. */
async function run(
  path: string,
  clientOf: (fetch: typeof globalThis.fetch) => Polygate,
  program: (gateway: Polygate) => Promise<unknown>,
) {
  vi.stubEnv('CI', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using tape = recordings(path);
  await program(clientOf(tape.fetch));
  return tape.mode;
}

describe('a run that fails', () => {
  test.each([
    ['before its first request', async () => Promise.reject(new Error('early'))],
    ['at a lost response', async (gateway: Polygate) => gateway.chat.completions.create(chat('B'))],
  ])('%s leaves no tape, so that the next run records', async (_, failing) => {
    const { path, mock, clientOf } = await startRecording();
    const warned = warnings();
    const fault = mock.fail({ route: 'POST /v1/chat/completions', reset: 'before' });
    await expect(run(path, clientOf, failing)).rejects.toBeInstanceOf(Error);
    expect(existsSync(path)).toBe(false);
    const isEmpty = mock.requests.length === 0;
    if (!isEmpty) expect(warned().join()).toMatch(/not written.*POST \/v1\/chat\/completions/s);
    fault.remove();
    const program = async (gateway: Polygate) => gateway.chat.completions.create(chat('B'));
    expect(await run(path, clientOf, program)).toBe('record');
    expect(await run(path, clientOf, program)).toBe('replay');
  });

  test('keeps the tape of an earlier run, and save() writes one that ends with a failure', async () => {
    const { path, clientOf, readTape } = await startRecording();
    warnings();
    const ended = recordings(path, { mode: 'record' });
    await clientOf(ended.fetch).chat.completions.create(chat('A'));
    await ended.save();
    const before = await readTape();
    {
      await using tape = recordings(path, { mode: 'record' });
      await rejection(Error, clientOf(tape.fetch).images.retrieve('task_unknown'));
    }
    expect(await readTape()).toBe(before);
    const failing = recordings(path, { mode: 'record' });
    await rejection(Error, clientOf(failing.fetch).images.retrieve('task_unknown'));
    await failing.save();
    expect(await readTape()).toContain('task_unknown');
  });

  const ask = (prompt: string) => (gateway: Polygate) =>
    gateway.chat.completions.create(chat(prompt));
  const askBoth = async (gateway: Polygate) => [await ask('A')(gateway), await ask('B')(gateway)];
  const failBetween = async (gateway: Polygate) => {
    await ask('A')(gateway);
    throw new Error('a failed assertion');
  };

  test('between two requests is continued by the next run, which sends only the rest', async () => {
    const { path, clientOf, mock } = await startRecording();
    const warned = warnings();
    await rejection(Error, run(path, clientOf, failBetween));
    await rejection(Error, run(path, clientOf, failBetween));
    expect(warned()).toEqual([]);
    expect(await run(path, clientOf, askBoth)).toBe('record');
    expect(warned().join()).toMatch(
      /app.json ends before POST \/v1\/chat\/completions.* sent and recorded/,
    );
    expect(mock.invoice).toHaveLength(2);
    expect(await run(path, clientOf, askBoth)).toBe('replay');
    expect(mock.invoice).toHaveLength(2);
  });

  const draw = (prompt: string, seen: string[]) => async (gateway: Polygate) => {
    const generation = await gateway.images.generate({ ...image, prompt }, { pollInterval: 1 });
    const bytes = await (await gateway.download(generation)).arrayBuffer();
    seen.push(Buffer.from(bytes).toString('base64'));
    return gateway.images.submit({
      ...image,
      prompt: 'Like it',
      reference_image_urls: generation.urls,
    });
  };

  test('keeps its files and links when it is continued', async () => {
    const { path, clientOf, mock } = await startRecording();
    warnings();
    const seen: string[] = [];
    const failing = async (gateway: Polygate) => {
      await draw('A', seen)(gateway);
      throw new Error('a failed assertion');
    };
    const whole = async (gateway: Polygate) => {
      await draw('A', seen)(gateway);
      await draw('B', seen)(gateway);
    };
    await rejection(Error, run(path, clientOf, failing));
    expect(await run(path, clientOf, whole)).toBe('record');
    const { length } = mock.requests;
    expect(await run(path, clientOf, whole)).toBe('replay');
    expect(mock.requests).toHaveLength(length);
    const [a, b] = [seen[0], seen[2]];
    expect(a).not.toBe(b);
    expect(seen).toEqual([a, a, b, a, b]);
    expect(mock.invoice).toHaveLength(4);
  });

  test('before it used a link that the tape does not keep fails once, and the next run records', async () => {
    const { path, clientOf } = await startRecording();
    warnings();
    const failing = async (gateway: Polygate) => {
      await gateway.images.generate(image, { pollInterval: 1 });
      throw new Error('a failed assertion');
    };
    await rejection(Error, run(path, clientOf, failing));
    const seen: string[] = [];
    const { message } = await rejection(Error, run(path, clientOf, draw(image.prompt, seen)));
    expect(message).toMatch(
      /a link or a text that the tape does not keep.* next run records again/s,
    );
    expect(existsSync(path)).toBe(false);
    expect(await run(path, clientOf, draw(image.prompt, seen))).toBe('record');
    expect(await run(path, clientOf, draw(image.prompt, seen))).toBe('replay');
  });

  test('is not continued by a client without a base URL', async () => {
    const { path, clientOf, readTape } = await startRecording();
    await rejection(Error, run(path, clientOf, failBetween));
    const before = await readTape();
    vi.stubEnv('POLYGATE_API_KEY', '');
    vi.stubEnv('POLYGATE_BASE_URL', '');
    const { message } = await rejection(
      ConfigurationError,
      run(path, (fetch) => new Polygate({ fetch }), askBoth),
    );
    expect(message).toContain('give the client an API key and a base URL');
    expect(await readTape()).toBe(before);
  });

  test('long ago is recorded from the beginning once the service does not know its task anymore', async () => {
    const { path, clientOf, mock } = await startRecording();
    const warned = warnings();
    await rejection(
      Error,
      run(path, clientOf, async (gateway) => {
        await gateway.images.submit(image);
        throw new Error('a failed assertion');
      }),
    );
    const faults = ['tasks', 'generations'].map((name) =>
      mock.fail({ route: `GET /v1/images/${name}/{id}`, status: 404 }),
    );
    const program = async (gateway: Polygate) =>
      gateway.images.generate(image, { pollInterval: 1 });
    await rejection(Error, run(path, clientOf, program));
    expect(warned().at(-1)).toMatch(/was deleted, because the service does not know/);
    for (const fault of faults) fault.remove();
    expect(await run(path, clientOf, program)).toBe('record');
    expect(await run(path, clientOf, program)).toBe('replay');
  });

  test.each([
    [
      'with CI',
      async (path: string, clientOf: Parameters<typeof run>[1]) => {
        await rejection(Error, run(path, clientOf, failBetween));
        vi.stubEnv('CI', '1');
      },
    ],
    [
      'after save()',
      async (path: string, clientOf: Parameters<typeof run>[1]) => {
        vi.stubEnv('CI', '');
        await using tape = recordings(path);
        await ask('A')(clientOf(tape.fetch));
        await tape.save();
      },
    ],
  ])('does not make a replay continue or delete the tape %s', async (name, record) => {
    const { path, clientOf, readTape } = await startRecording();
    onTestFinished(() => void vi.unstubAllEnvs());
    await record(path, clientOf);
    const before = await readTape();
    const gateway = clientOf(recordings(path).fetch);
    const { message } = await rejection(ConfigurationError, askBoth(gateway));
    expect(message).toContain('To record again, delete the tape.');
    const rest =
      "To record the rest, run the test with mode 'auto' and without the environment variable CI.";
    expect(message.includes(rest)).toBe(name === 'with CI');
    expect(await readTape()).toBe(before);
  });

  test('while it waits for a task is continued with the real state of the task', async () => {
    const { path, clientOf, mock } = await startRecording({ tasks: { durationMs: 500 } });
    warnings();
    const stop = new AbortController();
    const onUpdate = () => {
      if (mock.requests.some(({ method }) => method === 'GET')) stop.abort();
    };
    const { signal } = stop;
    await rejection(
      Error,
      run(path, clientOf, async (gateway) => gateway.images.generate(image, { signal, onUpdate })),
    );
    const program = async (gateway: Polygate) => gateway.images.generate(image);
    expect(await run(path, clientOf, program)).toBe('record');
    expect(await run(path, clientOf, program)).toBe('replay');
    expect(mock.invoice).toHaveLength(1);
  });

  test('between two requests is named as the probable reason by a replay that goes further', async () => {
    const { record, replay } = await startRecording();
    await record(async (gateway) => gateway.chat.completions.create(chat('A')));
    const { gateway } = replay();
    await gateway.chat.completions.create(chat('A'));
    const error = await rejection(ConfigurationError, gateway.chat.completions.create(chat('B')));
    expect(error.message).toMatch(
      /the run that recorded it may have failed before this request.*delete the tape/s,
    );
  });
});
