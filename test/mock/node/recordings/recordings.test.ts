import { writeFile } from 'node:fs/promises';

import { describe, expect, test, vi } from 'vitest';

import {
  ConfigurationError,
  ConnectionError,
  StreamTruncatedError,
} from '../../../../src/index.ts';
import { recordings } from '../../../../src/mock/node/index.ts';
import { rejection } from '../../../support/rejection.ts';
import { chat, image, startRecording } from './support.ts';

test('a chat, a stream, an image and its file are replayed without the service', async () => {
  const { mock, record, replay } = await startRecording();
  const program = async (gateway: ReturnType<typeof replay>['gateway']) => {
    const { choices } = await gateway.chat.completions.create(chat('Hello'));
    const pieces = [];
    const stream = gateway.chat.completions.stream(chat('Hi'));
    for await (const piece of stream.text()) pieces.push(piece);
    const statuses: string[] = [];
    const generation = await gateway.images.generate(image, {
      onUpdate: ({ status }) => statuses.push(status),
      pollInterval: 1,
    });
    const file = await gateway.download(generation);
    const bytes = new Uint8Array(await file.arrayBuffer());
    return [choices[0]?.message.content, pieces, statuses, bytes, file.complete];
  };
  const recorded = await record(program);
  const charged = mock.invoice.length;
  const { tape, gateway } = replay();
  expect(await program(gateway)).toEqual(recorded);
  expect(tape.unused).toEqual([]);
  expect(mock.invoice).toHaveLength(charged);
  // Recorded charges are not money that this client has spent.
  expect(gateway.spend.totalUsd).toBe(0);
});

test('charges are replayed if they should be counted', async () => {
  const { record, replay } = await startRecording();
  const usd = await record(async (gateway) => {
    await gateway.chat.completions.create(chat('Hello'));
    return gateway.spend.totalUsd;
  });
  const { gateway } = replay({ charges: true });
  await gateway.chat.completions.create(chat('Hello'));
  expect(gateway.spend.totalUsd).toBe(usd);
});

test('a budget that is added later needs no price list on the tape', async () => {
  const { record, replay } = await startRecording();
  await record((gateway) => gateway.images.submit(image));
  const { gateway } = replay();
  const limited = gateway.withOptions({ budget: { maxUsd: 1 } });
  expect(await limited.images.submit(image)).toMatchObject({ kind: 'image' });
});

describe('matching', () => {
  test('equal requests get their responses in order; then a GET repeats the last one, and a POST fails', async () => {
    const { mock, record, replay } = await startRecording();
    const limits = await record(async (gateway) => {
      mock.reply({ text: 'first', times: 1 });
      mock.reply({ text: 'second', times: 1 });
      await gateway.chat.completions.create(chat('Hello'));
      await gateway.chat.completions.create(chat('Hello'));
      const { balance } = await gateway.account.retrieve();
      mock.setBalance(7);
      return [balance.usd, (await gateway.account.retrieve()).balance.usd];
    });
    const { gateway, tape } = replay();
    const ask = async () =>
      (await gateway.chat.completions.create(chat('Hello'))).choices[0]?.message.content;
    expect([await ask(), await ask()]).toEqual(['first', 'second']);
    const error = await rejection(ConfigurationError, ask());
    expect(error.message).toContain(
      'it was recorded 2 times, and all recordings were used. Nothing was sent.',
    );
    expect(error.outcome).toBe('not-sent');
    const balances = [];
    for (let read = 0; read < 4; read += 1) {
      balances.push((await gateway.account.retrieve()).balance.usd);
    }
    expect(balances).toEqual([...limits, 7, 7]);
    expect(tape.unused).toEqual([]);
  });

  test('the order of fields, idempotency keys and the host do not matter', async () => {
    const { record, path } = await startRecording();
    await record((gateway) => gateway.images.submit(image, { idempotencyKey: 'one' }));
    const tape = recordings(path, { mode: 'replay' });
    const response = await tape.fetch('https://elsewhere.example/v1/images/tasks', {
      method: 'POST',
      headers: { 'x-idempotency-key': 'two' },
      body: JSON.stringify({ prompt: image.prompt, model: image.model }),
    });
    expect(response.status).toBe(202);
  });

  test('forms match whatever their boundary is', async () => {
    const { path } = await startRecording();
    const form = () => {
      const data = new FormData();
      data.set('file', new Blob([Uint8Array.of(0, 255, 128, 13, 10)]), 'a.bin');
      return { method: 'POST', body: data };
    };
    const tape = recordings(path, { mode: 'record', fetch: async () => Response.json({ ok: 1 }) });
    await (await tape.fetch('https://host.example/v1/files', form())).json();
    await tape.save();
    const replayed = recordings(path, { mode: 'replay' });
    const request = new Request('https://host.example/v1/files', form());
    expect(await (await replayed.fetch(request)).json()).toEqual({ ok: 1 });
  });

  test('a request that is not on the tape names the nearest recording and the difference, and is not retried', async () => {
    const { record, replay } = await startRecording();
    await record(async (gateway) => {
      await gateway.models.list();
      await gateway.chat.completions.create(chat('Hello'));
    });
    const { gateway, tape } = replay();
    const error = await rejection(
      ConfigurationError,
      gateway.chat.completions.create(chat('Hello there')),
    );
    expect(error.message).toContain(
      'The nearest recording is number 2, POST /v1/chat/completions. Differences: body.messages.0.content: "Hello" on the tape, "Hello there" in the request.',
    );
    expect(tape.unused.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/models',
      'POST /v1/chat/completions',
    ]);
    // The missing request is the failure to report, not the recordings that it left over.
    await tape[Symbol.asyncDispose]();
  });
});

describe('failures', () => {
  test('a lost response is lost again, and the retry gets the next recording', async () => {
    const { mock, record, replay } = await startRecording();
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', attempt: 1 });
    const submit = async (gateway: ReturnType<typeof replay>['gateway']) => {
      const { id, replayed } = await gateway.images.submit(image);
      return { id, replayed };
    };
    const recorded = await record(submit);
    expect(recorded.replayed).toBe(true);
    const { gateway, tape } = replay();
    expect(await submit(gateway)).toEqual(recorded);
    expect(tape.unused).toEqual([]);
  });

  test('a refused connection is not sent, and neither is its replay', async () => {
    const { mock, record, replay } = await startRecording();
    const recorded = await record(async (gateway) => {
      // Nothing listens on the port of a gateway that has been closed.
      mock.clearFaults();
      const closed = gateway.withOptions({ baseURL: 'http://127.0.0.1:1', maxRetries: 0 });
      return rejection(ConnectionError, closed.chat.completions.create(chat('Hello')));
    });
    const { gateway } = replay();
    const error = await rejection(
      ConnectionError,
      gateway.withOptions({ maxRetries: 0 }).chat.completions.create(chat('Hello')),
    );
    expect([error.outcome, error.message]).toEqual([recorded.outcome, recorded.message]);
    expect(error.outcome).toBe('not-sent');
  });

  test('a truncated stream is truncated again, after the same text', async () => {
    const { mock, record, replay } = await startRecording();
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 4 });
    const read = async (gateway: ReturnType<typeof replay>['gateway']) => {
      let text = '';
      const stream = gateway.chat.completions.stream(chat('Hello'));
      const error = await rejection(
        StreamTruncatedError,
        (async () => {
          for await (const piece of stream.text()) text += piece;
        })(),
      );
      return [text, error.partial?.choices[0]?.message.content];
    };
    const recorded = await record(read);
    expect(recorded[0]).not.toBe('');
    expect(await read(replay().gateway)).toEqual(recorded);
  });

  test('a damaged tape is reported with the location of the damage', async () => {
    const { record, path, replay } = await startRecording();
    await record((gateway) => gateway.models.list());
    for (const [text, place] of [
      ['{"version": 1, "recordings": [', 'JSON'],
      ['{"version": 1, "recordings": [{"request": {"method": 1}}]}', 'recordings.0.request.method'],
      [
        '{"version": 1, "recordings": [{"request": {"method": "GET", "path": "/"}}]}',
        'recordings.0: has no response',
      ],
      ['{"version": 2, "recordings": []}', 'version'],
      [tapeWith({ status: 99, headers: {} }), 'recordings.0.response.status'],
      [tapeWith({ status: 200, headers: { 'a b': '' } }), 'recordings.0.response.headers'],
      [tapeWith({ status: 200, headers: {}, boddy: {} }), 'recordings.0.response: '],
      [tapeWith({ status: 200, headers: {}, body: {}, text: '' }), 'has several bodies'],
    ] as const) {
      await writeFile(path, text);
      expect(() => replay()).toThrow(ConfigurationError);
      expect(() => replay()).toThrow(place);
    }
  });
});

const tapeWith = (response: object) =>
  JSON.stringify({
    version: 1,
    recordings: [{ request: { method: 'GET', path: '/' }, response }],
  });

describe('modes', () => {
  test('auto records once and then replays; with CI set, it only replays', async () => {
    const { path, baseURL } = await startRecording();
    vi.stubEnv('CI', 'true');
    try {
      expect(() => recordings(path)).toThrow(/cannot be read.*mode 'record'/);
      vi.stubEnv('CI', '');
      const first = recordings(path);
      expect(first.mode).toBe('record');
      await (await first.fetch(`${baseURL}/v1/status`)).json();
      await first.save();
      expect(recordings(path).mode).toBe('replay');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('await using saves a recording, and fails if a replay leaves recordings unused', async () => {
    const { path, baseURL } = await startRecording();
    {
      await using tape = recordings(path, { mode: 'record' });
      await (await tape.fetch(`${baseURL}/v1/status`)).json();
    }
    const leave = async (allowUnused?: boolean) => {
      await using tape = recordings(path, { mode: 'replay', allowUnused });
      return tape.unused.length;
    };
    await expect(leave()).rejects.toThrow('recordings that no request has used: GET /v1/status');
    expect(await leave(true)).toBe(1);
  });

  test('with timing, a replay takes as long as the recording', async () => {
    const { mock, path, record, replay, readTape } = await startRecording({ chunkDelayMs: 20 });
    mock.reply({ chunks: ['a', 'b', 'c'] });
    await record((gateway) => gateway.chat.completions.stream(chat('Hi')).final(), {
      timing: true,
    });
    const tape = await readTape();
    const [, list = ''] = /"gaps": \[([^\]]+)\]/.exec(tape) ?? [];
    const gaps = list.split(',').map(Number);
    const stream = (timing: boolean) =>
      replay({ timing }).gateway.chat.completions.stream(chat('Hi')).final();
    const start = performance.now();
    await stream(true);
    // Timers count whole milliseconds.
    const shortest = gaps.reduce((sum, ms) => sum + ms - 1, 0);
    expect(performance.now() - start).toBeGreaterThan(shortest);
    // Without timing, the test would time out if it waited.
    await writeFile(path, tape.replace(list, gaps.map(() => 3_600_000).join()));
    await expect(stream(false)).resolves.toMatchObject({ object: 'chat.completion' });
  });

  test('a poll that was rejected for a while is repeated at once, unless times are replayed', async () => {
    const { path } = await startRecording();
    const fetch = async () => new Response(null, { status: 429, headers: { 'retry-after': '30' } });
    const delays: (string | null)[] = [];
    for (const timing of [true, false]) {
      const tape = recordings(path, { mode: 'record', timing, fetch });
      for (const method of ['GET', 'POST']) await tape.fetch('https://host.example/', { method });
      await tape.save();
      const replay = recordings(path, { mode: 'replay', timing });
      for (const method of ['GET', 'POST']) {
        const { headers } = await replay.fetch('https://host.example/', { method });
        delays.push(headers.get('retry-after'));
      }
    }
    // The delay of a paid request is part of its error.
    expect(delays).toEqual(['30', '30', '0', '30']);
  });

  test.each([
    [{ mod: 'replay' }, 'mode'],
    [{ mode: 'play' }, "'auto', 'record' or 'replay'"],
  ])('the options %j are a ConfigurationError', async (options, message) => {
    const { path } = await startRecording();
    expect(() => recordings(path, options as object)).toThrow(ConfigurationError);
    expect(() => recordings(path, options as object)).toThrow(message);
  });
});
