import { describe, expect, test } from 'vitest';

import {
  BadRequestError,
  ConfigurationError,
  NotFoundError,
  TaskFailedError,
} from '../../../src/index.ts';
import type { BatchOptions } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { caught, image, onMock } from '../support.ts';
import { runImageBatch, describeImage, memoryJournal, numbers, chargedKeys } from './support.ts';

const submits = 'POST /v1/images/tasks';

describe('a batch', () => {
  test('yields every row with its input, task and generation, and pays for each once', async () => {
    const world = onMock();
    const rows = await runImageBatch(world, numbers(40));
    expect(rows.map(({ input }) => input).toSorted((a, b) => a - b)).toEqual(numbers(40));
    for (const { id, input, status, task, generation, error, idempotencyKey } of rows) {
      expect({ id, status, error }).toEqual({ id: String(input), status: 'succeeded' });
      expect(task?.id).toBe(generation?.id);
      expect(task?.idempotencyKey).toBe(idempotencyKey);
    }
    expect(world.mock.invoice).toHaveLength(40);
    expect(chargedKeys(world.mock).size).toBe(40);
  });

  test('yields results in the order in which tasks finish', async () => {
    const durationMs = ({ number }: { number: number }) => 60_000 - number * 10_000;
    const world = onMock({ tasks: { durationMs } });
    const rows = await runImageBatch(world, numbers(5));
    expect(rows.map(({ input }) => input)).toEqual([4, 3, 2, 1, 0]);
  });

  test('waits for slots without limit, even if a totalTimeout would end a single request', async () => {
    const settings = {
      concurrencyLimit: 1,
      assumptions: { A14: 'task' },
      tasks: { durationMs: 8_000 },
    } as const;
    const world = onMock(settings, { totalTimeout: 10_000 });
    const rows = await runImageBatch(world, numbers(6));
    expect(rows.map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
    expect(world.mock.invoice).toHaveLength(6);
  });

  test('gives up a row whose request was sent and did not finish within totalTimeout', async () => {
    const world = onMock({}, { totalTimeout: 10_000, timeout: 3_000 });
    world.mock.fail({ route: submits, delayMs: 60_000 });
    const [row] = await runImageBatch(world, numbers(1));
    expect(row?.status).toBe('unknown');
    expect(row?.error?.name).toBe('RequestTimeoutError');
  });

  test('without rows ends immediately and sends no request', async () => {
    const world = onMock();
    expect(await runImageBatch(world, [])).toEqual([]);
    expect(world.mock.requests).toEqual([]);
  });

  test('accepts any iterable, including async iterables and strings', async () => {
    const world = onMock();
    const later = async function* () {
      yield* ['a', 'b'];
    };
    const inputs = async (rows: Iterable<string> | AsyncIterable<string>) =>
      (await runImageBatch(world, rows)).map(({ input }) => input).toSorted();
    expect(await inputs(new Set(['a', 'b']))).toEqual(['a', 'b']);
    expect(await inputs('ab')).toEqual(['a', 'b']);
    expect(await inputs(later())).toEqual(['a', 'b']);
  });

  test('mixes images, videos, music and speech', async () => {
    const { mock, gateway } = onMock();
    const { videos, audio } = gateway;
    const described = [
      gateway.images.submission(image, { route: 'generations' }),
      videos.submission({ model: 'tide-video', prompt: 'Waves' }, { route: 'video/generations' }),
      audio.music.submission({ model: 'anthem-music', prompt: 'A shanty' }),
      audio.speech.submission({ model: 'echo-speech', text: 'Ahoy', voice_id: 'calm-narrator' }),
    ];
    const rows = await mock.clock.settle(collect(gateway.batch(described, (row) => row)));
    const kinds = rows.map(({ generation, error }) => String(generation?.kind ?? error?.message));
    expect(kinds.toSorted()).toEqual(['audio', 'audio', 'image', 'video']);
  });

  test('sends the params as they were when the row callback returned, even if the caller reuses the object', async () => {
    const { mock, gateway } = onMock();
    const params = { model: image.model, prompt: '' };
    const describeRow = (row: string) => {
      params.prompt = row;
      return gateway.images.submission(params);
    };
    await mock.clock.settle(collect(gateway.batch(['a', 'b', 'c'], describeRow)));
    expect(mock.tasks.map(({ prompt }) => prompt).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('with `concurrency: false` is limited by maxInFlight only', async () => {
    const world = onMock({ concurrencyLimit: 50, latencyMs: 500 }, { concurrency: false });
    expect(await runImageBatch(world, numbers(40), { maxInFlight: 20 })).toHaveLength(40);
    expect(world.mock.peakInFlight).toBe(20);
  });
});

describe('a failed row does not affect other rows', () => {
  const boom = new Error('boom');
  const refuse = (number: number) => {
    if (number === 2) throw boom;
  };
  test.each<[string, number[], BatchOptions<number>, (number: number) => void]>([
    ['the row callback throws', [0, 1, 2, 3], {}, refuse],
    [
      'id() throws',
      [0, 1, 2, 3],
      {
        id: (number) => {
          refuse(number);
          return `row ${number}`;
        },
      },
      () => undefined,
    ],
  ])('when %s', async (_, inputs, options, check) => {
    const { mock, gateway } = onMock();
    const describeRow = async (number: number) => {
      check(number);
      return describeImage(gateway)(number);
    };
    const rows = await mock.clock.settle(collect(gateway.batch(inputs, describeRow, options)));
    const failed = rows.filter(({ status }) => status !== 'succeeded');
    expect(failed).toMatchObject([{ input: 2, status: 'failed', error: boom }]);
    expect(mock.invoice).toHaveLength(3);
  });

  test.each([
    ['empty', '', 'row ?: its id must be a unique, non-empty string. Nothing was sent.'],
    [
      'a number',
      7 as unknown as string,
      'row 7: its id must be a unique, non-empty string. Nothing was sent.',
    ],
    [
      'a duplicate',
      'row 0',
      'row row 0: its id must be a unique, non-empty string. Nothing was sent.',
    ],
  ])('when its id is %s', async (_, wrong, message) => {
    const world = onMock();
    const id = (number: number) => (number === 2 ? wrong : `row ${number}`);
    const rows = await runImageBatch(world, numbers(4), { id });
    const [failed] = rows.filter(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ input: 2, id: '2', error: { message } });
    expect(failed?.error).toBeInstanceOf(ConfigurationError);
    expect(world.mock.invoice).toHaveLength(3);
  });

  test.each([
    ['params are invalid', { ...image, model: '' }, {}, /^model: /],
    [
      'idempotency key is invalid',
      image,
      { idempotencyKey: 'with space' },
      /^idempotencyKey: must/,
    ],
  ])('when its %s, and it is not written to the journal', async (_, params, options, message) => {
    const { mock, gateway } = onMock();
    const journal = memoryJournal();
    const describeRow = (number: number) =>
      gateway.images.submission(number === 1 ? params : image, number === 1 ? options : {});
    const batch = gateway.batch(numbers(3), describeRow, { journal });
    const rows = await mock.clock.settle(collect(batch));
    const [failed] = rows.filter(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ input: 1, error: { message: expect.stringMatching(message) } });
    expect(journal.lines.filter((line) => line.includes('"id":"1"'))).toEqual([]);
    expect(mock.invoice).toHaveLength(2);
  });

  test.each([
    [400, BadRequestError],
    [404, NotFoundError],
  ])('when the service responds with a %d', async (status, error) => {
    const world = onMock();
    world.mock.fail({ route: submits, status, attempt: 3 });
    const rows = await runImageBatch(world, numbers(6));
    expect(rows.filter((row) => row.status === 'failed')).toMatchObject([
      { error: expect.any(error), idempotencyKey: expect.stringMatching(/^pg-[0-9a-f]{64}$/) },
    ]);
    expect(world.mock.invoice).toHaveLength(5);
  });

  test.each([
    ['the params', () => image],
    ['nothing', () => undefined],
    ['a submitted task', (submit: () => unknown) => submit()],
  ])('when its callback returns %s instead of a submission', async (_, returned) => {
    const { mock, gateway } = onMock();
    const describeRow = (number: number) =>
      number === 1
        ? (returned(() => gateway.images.submit(image)) as never)
        : gateway.images.submission(image);
    const rows = await mock.clock.settle(collect(gateway.batch(numbers(3), describeRow)));
    const [failed] = rows.filter(({ id }) => id === '1');
    expect(failed?.error).toBeInstanceOf(ConfigurationError);
    expect(failed?.error?.message).toMatch(/^row 1: .*images\.submission\(params\)/);
    // A callback that submits the request itself has paid for it, and the row must not hide that.
    const wasPaid = mock.invoice.length > 2;
    expect(failed?.status).toBe(wasPaid ? 'unknown' : 'failed');
    expect(failed?.error).toMatchObject(
      wasPaid ? { outcome: 'unknown', task: { id: expect.any(String) } } : {},
    );
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(2);
  });

  test('when its task fails', async () => {
    const outcome = ({ number }: { number: number }) => (number === 3 ? 'failed' : 'succeeded');
    const world = onMock({ tasks: { outcome } });
    const rows = await runImageBatch(world, numbers(6));
    const [failed, ...others] = rows.filter(({ status }) => status === 'failed');
    expect(others).toEqual([]);
    expect(failed?.error).toBeInstanceOf(TaskFailedError);
    expect(failed?.task?.id).toBe(world.mock.tasks[2]?.id);
  });

  test('when its wait times out: the status is unknown, and the result has its task', async () => {
    const world = onMock({ tasks: { durationMs: ({ number }) => (number === 2 ? 1e9 : 0) } });
    const rows = await runImageBatch(world, numbers(4), { waitTimeout: 60_000 });
    expect(rows.filter(({ status }) => status !== 'succeeded')).toMatchObject([
      { status: 'unknown', task: { id: world.mock.tasks[1]?.id } },
    ]);
  });

  test.each([
    ['a string', 'no'],
    ['an object without a prototype', Object.create(null)],
    ['undefined', undefined],
  ])('when %s is thrown instead of an Error', async (_, thrown) => {
    const { mock, gateway } = onMock();
    const batch = gateway.batch([0], () => Promise.reject(thrown));
    const [row] = await mock.clock.settle(collect(batch));
    expect(row?.error).toMatchObject({ cause: thrown });
    expect(row?.error).toBeInstanceOf(Error);
  });
});

describe('invalid options are rejected before any request:', () => {
  test.each([
    [{ maxInFlight: 0 }, /^maxInFlight: must be/],
    [{ maxInFlight: -1 }, /^maxInFlight: must be/],
    [{ maxInFlight: NaN }, /^maxInFlight: must be/],
    [{ pollInterval: -1 }, /^pollInterval: must be/],
    [{ waitTimeout: NaN }, /^waitTimeout: must be/],
    [{ journal: 'run.jsonl' }, /^journal: must be an object with read\(\), append\(\)/],
  ])('%j', async (options, message) => {
    const world = onMock();
    const error = await caught(runImageBatch(world, numbers(3), options as BatchOptions<number>));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(message);
    expect(world.mock.requests).toEqual([]);
  });
});
