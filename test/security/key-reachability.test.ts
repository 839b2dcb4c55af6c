import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../src/index.ts';
import {
  WatchedClock,
  caught,
  chat,
  clientOf,
  drain,
  hang,
  image,
  onMock,
  errorReply,
  reset,
  scripted,
} from '../client/support.ts';
import { apiKey, memoryJournal, pathsTo, printed } from './support.ts';

/** The property paths from a value to the key, and whether printing the value reveals it. */
function leaks(value: unknown): string[] {
  return [...pathsTo(apiKey, value), ...(printed(value).includes(apiKey) ? ['printed'] : [])];
}

const withKey = () => onMock({ keys: [{ key: apiKey }] });

test('the search finds a path to the key if there is one', () => {
  class Holder {
    #key = { apiKey };
    get view() {
      return this.#key;
    }
  }
  const hidden = new Map([['b', new Holder()]]);
  expect(pathsTo(apiKey, { a: [hidden, new Holder()] })).toEqual([
    '.a.1.view.apiKey',
    '.a.0.entries.0.1.view.apiKey',
  ]);
});

describe('no property, symbol or getter leads to the API key', () => {
  const values: Readonly<Record<string, (gateway: Polygate) => unknown>> = {
    'a client': (gateway) => gateway,
    'a client from withOptions': (gateway) => gateway.withOptions({ maxRetries: 1 }),
    'the methods of a namespace': (gateway) => [
      gateway.images.submit,
      gateway.chat.completions.create,
    ],
    'the promise of a list': (gateway) => gateway.models.list(),
    'its raw response': (gateway) => gateway.models.list().asResponse(),
    'its result with response and meta': (gateway) => gateway.models.list().withResponse(),
    'a list of another style': (gateway) => gateway.models.list({ style: 'anthropic' }),
    'a page of materials': (gateway) => gateway.materials.list(),
    'the updates of a material': (gateway) => gateway.materials.updates('mat_1'),
    'a submitted task': (gateway) => gateway.images.submit(image),
    'the updates of a task': (gateway) => gateway.videos.task('task_1').updates(),
    'a submission': (gateway) => gateway.images.submission(image),
    'a batch': (gateway) => gateway.batch([image], (row) => gateway.images.submission(row)),
    'the rows of a batch': (gateway) =>
      drain(
        gateway.batch([image, { ...image, model: 'nothing' }], (row) =>
          gateway.images.submission(row),
        ),
      ),
    'a recovery': (gateway) => gateway.recover(memoryJournal()),
    'a chat stream': (gateway) => gateway.chat.completions.stream(chat),
    'an open chat stream': (gateway) => gateway.chat.completions.create({ ...chat, stream: true }),
    'a finished chat stream': async (gateway) => {
      const stream = gateway.chat.completions.stream(chat);
      return [await drain(stream), await stream.final(), stream];
    },
  };

  test.each(Object.entries(values))('from %s', async (_, valueOf) => {
    const { gateway, mock } = withKey();
    const value = valueOf(gateway);
    expect(leaks(value)).toEqual([]);
    expect(leaks(await mock.clock.settle(Promise.resolve(value)))).toEqual([]);
  });

  test.each([
    ['a timeout', hang],
    ['a reset', reset],
    ['a 401', errorReply(401)],
  ])('from the signal passed to fetch, after %s', async (_, reply) => {
    const clock = new WatchedClock();
    const { fetch, sent } = scripted(reply);
    const gateway = clientOf(fetch, { apiKey, clock, timeout: 1_000, maxRetries: 0 });
    expect(leaks(await caught(clock.settle(gateway.images.submit(image))))).toEqual([]);
    expect(sent[0]?.headers.get('authorization')).toContain(apiKey);
    expect(leaks(sent[0]?.signal)).toEqual([]);
  });
});

test('receipts and journals contain no API key, and no prompt unless storeParams is set', async () => {
  const { gateway, mock } = withKey();
  const prompt = 'prompt-canary-90b1';
  const journals = [memoryJournal(), memoryJournal([], true)];
  for (const journal of journals) {
    const rows = gateway.batch(
      [prompt],
      (row) => gateway.images.submission({ ...image, prompt: row }),
      {
        journal,
      },
    );
    const [row] = await mock.clock.settle(drain(rows));
    expect(row?.status).toBe('succeeded');
    expect(JSON.stringify(row?.task)).not.toContain(prompt);
    expect(journal.lines.length).toBeGreaterThan(2);
    expect(journal.lines.join('\n')).not.toContain(apiKey);
  }
  expect(journals.map(({ lines }) => lines.join('\n').includes(prompt))).toEqual([false, true]);
});

test('a process that exits on an unhandled rejection prints neither key nor prompt', async () => {
  const program = `
    import { Polygate } from 'polygate';
    const fetch = async (url, init) => {
      throw Object.assign(new TypeError('fetch failed'), { url, init, request: new Request(url, init) });
    };
    const options = { apiKey: '${apiKey}', baseURL: 'https://gateway.example', fetch, maxRetries: 0 };
    const gateway = new Polygate({ ...options, logLevel: 'debug' });
    gateway.images.submit({ model: 'm', prompt: 'prompt-canary-90b1' });
  `;
  const hook = new URL('../from-source.ts', import.meta.url).href;
  const run = promisify(execFile);
  const failure = await caught(
    run(process.execPath, ['--import', hook, '--input-type=module', '--eval', program]),
  );
  expect(failure.code).toBe(1);
  expect(failure.stderr).toContain('ConnectionError');
  expect(`${String(failure.stdout)}${String(failure.stderr)}`).not.toMatch(/canary-(51d0c3|90b1)/);
});
