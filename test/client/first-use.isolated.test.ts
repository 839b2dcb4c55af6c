/** What callers notice of the files that load at the first use of a feature. Each client has not loaded any of them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import type { Generation } from '../../src/index.ts';
import { fileJournal } from '../../src/integrations/journal/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import { holdFile, onFreshClients } from './first-use-support.ts';
import { caught, chat, drain, image } from './support.ts';

test('a call whose file blocks the thread past its deadline while it loads is not sent', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  const path = new URL('../../src/client/call/send-to-models.ts', import.meta.url).pathname;
  vi.doMock(path, async (importOriginal) => {
    const module = await importOriginal();
    const end = performance.now() + 300;
    while (performance.now() < end);
    return module;
  });
  onTestFinished(() => vi.doUnmock(path));
  const options = { fallback: ['aurora-mini'], totalTimeout: 250 };
  const error = await caught(gateway.chat.completions.create(chat, options));
  expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
  expect(mock.requests).toEqual([]);
  expect(mock.invoice).toEqual([]);
});

test('a wait has the options that it had when it was called', async () => {
  const { mock, open } = onFreshClients();
  const { id } = await (await open()).gateway.images.submit(image);
  const { gateway } = await open();
  const options = { requestId: 'first' };
  const wait = gateway.images.task(id).wait(options);
  options.requestId = 'second';
  await wait;
  const polls = mock.requests.filter(({ method }) => method === 'GET');
  expect(polls.map(({ headers }) => headers['x-request-id'])).toEqual(['first']);
});

test('a wait that is aborted while its file loads says that its task is not lost', async () => {
  const { open } = onFreshClients();
  const { id } = await (await open()).gateway.images.submit(image);
  const { gateway } = await open();
  holdFile('tasks/wait-steps.ts');
  const controller = new AbortController();
  const wait = caught(gateway.images.task(id).wait({ signal: controller.signal }));
  controller.abort('closed');
  const error = await wait;
  expect(error).toMatchObject({ name: 'AbortedError', cause: 'closed', task: { id } });
  expect(error.message).toContain(`Task ${id} is not lost: continue with error.task.wait().`);
  // The task was paid for.
  expect(error.outcome).toBeUndefined();
});

test('a wait ends within its time limit, even if its file never arrives', async () => {
  const { open } = onFreshClients();
  const { id } = await (await open()).gateway.images.submit(image);
  const { gateway } = await open();
  holdFile('tasks/wait-steps.ts');
  const error = await caught(gateway.images.task(id).wait({ waitTimeout: 0 }));
  expect(error).toMatchObject({ name: 'RequestTimeoutError', task: { id } });
});

test('a download has the options that it had when it was called', async () => {
  const { open } = onFreshClients();
  const fetched: string[] = [];
  const { gateway } = await open({
    fetch: async (url: string) => {
      fetched.push(url);
      return new Response('file');
    },
  });
  const urls: Generation['urls'] = ['data:text/plain,first', 'data:text/plain,second'];
  const done = { id: 'task_1', kind: 'image', status: 'succeeded', rawStatus: '' } as const;
  const source = { ...done, urls, raw: {} } as Generation;
  const options = { index: 0 };
  const download = gateway.download(source, options);
  options.index = 1;
  await download;
  expect(fetched).toEqual([urls[0]]);
});

test('a first download rejects a signal in place of its options, instead of ignoring it', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  const { signal } = new AbortController();
  const source = 'https://files.example/a.png';
  const error = await caught(Reflect.apply(gateway.download, gateway, [source, signal]));
  expect(error.message).toBe('options: must be a plain object.');
  expect(mock.requests).toEqual([]);
});

test.each(['download', 'fetch'] as const)(
  '%s does not wait longer than the timeout of the client for its file',
  async (name) => {
    const { mock, open } = onFreshClients();
    const { gateway } = await open({ timeout: 20 });
    holdFile(name === 'fetch' ? 'fetch/send-fetch.ts' : 'tasks/download.ts');
    const call = () =>
      name === 'fetch' ? gateway.fetch('/v1/models') : gateway.download('https://files.example/a');
    expect(await caught(call())).toMatchObject({
      name: 'RequestTimeoutError',
      outcome: 'not-sent',
    });
    expect(mock.requests).toEqual([]);
  },
);

test('a short timeout on a virtual clock does not limit the real time that a file takes', async () => {
  const { mock, open } = onFreshClients();
  const { clock } = createMockGateway({ clock: 'virtual' });
  const { gateway } = await open({ clock });
  const { release } = holdFile('stream/reading.ts');
  const stream = gateway.chat.completions.stream(chat, { timeout: 1 });
  // By then, an earlier timer of 1 ms has fired.
  await new Promise((resolve) => setTimeout(resolve, 5));
  release();
  await expect(stream.final()).resolves.toMatchObject({ object: 'chat.completion' });
  expect(mock.requests).toHaveLength(1);
});

test('a call with fallback models starts its span in the context of the caller', async () => {
  const { open } = onFreshClients();
  let active = 'none';
  const seen: string[] = [];
  const telemetry = {
    startSpan: () => void seen.push(active),
    captureContext() {
      const captured = active;
      return (work: () => void) => {
        const before = active;
        active = captured;
        work();
        active = before;
      };
    },
  };
  const { gateway } = await open({ telemetry });
  for (const caller of ['first', 'second']) {
    active = caller;
    const call = gateway.chat.completions.create(chat, { fallback: ['aurora-mini'] });
    active = 'none';
    await call;
  }
  expect(seen).toEqual(['first', 'second']);
});

const journalPath = async () =>
  join(await mkdtemp(join(tmpdir(), 'polygate-first-use-')), 'journal.jsonl');

test.each(['recover', 'batch'] as const)(
  '%s that was aborted before its files have loaded does not say that nothing was charged',
  async (name) => {
    const { open } = onFreshClients();
    const { gateway } = await open();
    holdFile(`batch/${name}.ts`);
    const controller = new AbortController();
    const { signal } = controller;
    const journal = fileJournal(await journalPath());
    const rows =
      name === 'batch'
        ? gateway.batch(['a'], () => gateway.images.submission(image), { journal, signal })
        : gateway.recover(journal, { signal });
    const error = caught(drain<unknown>(rows));
    controller.abort('closed');
    expect(await error).toMatchObject({
      name: 'AbortedError',
      cause: 'closed',
      outcome: 'unknown',
      rows: [],
    });
  },
);

test('a recovery that was aborted before it started ends even if its file never arrives', async () => {
  const { open } = onFreshClients();
  const { gateway } = await open();
  holdFile('batch/recover.ts');
  const journal = fileJournal(await journalPath());
  const signal = AbortSignal.abort('closed');
  expect(await caught(drain(gateway.recover(journal, { signal })))).toMatchObject({
    name: 'AbortedError',
    cause: 'closed',
    outcome: 'unknown',
    rows: [],
  });
});

test('an aborted signal does not keep a recovery from listing the rows of its journal', async () => {
  const { mock, open } = onFreshClients();
  const path = await journalPath();
  const { gateway: first } = await open();
  for await (const _ of first.batch(['a'], () => first.images.submission(image), {
    journal: fileJournal(path),
  })) {
    // Leaves the row without an end.
    break;
  }
  const { gateway } = await open();
  const error = await caught(
    drain(gateway.recover(fileJournal(path), { signal: AbortSignal.abort('closed') })),
  );
  expect(error).toMatchObject({ name: 'AbortedError', cause: 'closed' });
  expect(error.rows).toBeInstanceOf(Array);
  expect(error.outcome).toBe('unknown');
  expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('the first request of a run has the messages that it was called with', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  const message = { role: 'user' as const, content: 'first' };
  const run = gateway.chat.completions.run({ ...chat, messages: [message], tools: [] });
  message.content = 'second';
  await run;
  expect(mock.requests[0]?.body).toMatchObject({ messages: [{ content: 'first' }] });
});

test('a run that cannot load its file has its conversation in the error', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  holdFile('chat/tool-run.ts').release(new Error('missing'));
  const error = await caught(gateway.chat.completions.run({ ...chat, tools: [] }));
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  expect(error.run).toEqual({ messages: chat.messages, rounds: [], chargeUsd: 0 });
  expect(mock.requests).toEqual([]);
});

test('a relayed completion that could not be parsed is parsed by a later call', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  const relayed = gateway.chat.completions.stream(chat).toReadableStream();
  const text = await new Response(relayed).text();
  const { ChatStream } = await open();
  const file = holdFile('chat/structured-output.ts');
  file.release(new Error('missing'));
  const schema = {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 'parsed' }) },
  } as const;
  const body = new Response(text).body ?? expect.unreachable();
  const stream = ChatStream.fromReadableStream(body, { schema });
  const error = await caught(stream.final());
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
  file.restore();
  const later = await caught(stream.final());
  expect(later.name).toBe('StructuredOutputError');
  expect(mock.requests).toHaveLength(1);
});
