import { readFile } from 'node:fs/promises';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../../../src/index.ts';
import { recordings } from '../../../../src/mock/node/index.ts';
import { rejection } from '../../../support/rejection.ts';
import { chat, image, startRecording } from './support.ts';

describe('options', () => {
  test.each([
    ['redact', 'x'],
    ['redact', () => undefined],
    ['fetch', 'x'],
    ['timing', 1],
    ['charges', 'yes'],
    ['allowUnused', 1],
  ])('%s: %s is rejected before anything is recorded', async (name, value) => {
    const { path } = await startRecording();
    const options: object = { mode: 'record', [name]: value };
    expect(() => recordings(path, options)).toThrow(`${name}: must be a`);
    expect(() => recordings(path, options)).toThrow(ConfigurationError);
  });
});

describe('a replay', () => {
  test('needs neither an API key nor a base URL', async () => {
    const { path, record, baseURL } = await startRecording();
    const program = async (gateway: Polygate) => {
      const generation = await gateway.images.generate(image, { pollInterval: 1 });
      return Buffer.from(await (await gateway.download(generation)).arrayBuffer());
    };
    const bytes = await record(program);
    vi.stubEnv('POLYGATE_API_KEY', '');
    vi.stubEnv('POLYGATE_BASE_URL', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const tape = recordings(path, { mode: 'replay' });
    const { env } = process;
    const gateway = new Polygate({
      apiKey: env.POLYGATE_API_KEY || undefined,
      baseURL: env.POLYGATE_BASE_URL || undefined,
      fetch: tape.fetch,
    });
    expect(await program(gateway)).toEqual(bytes);
    expect(gateway.baseURL).not.toBe(baseURL);
    expect(tape.unused).toEqual([]);
  });

  test('of a service below a path uses that path', async () => {
    const { path, mock } = await startRecording();
    const tape = recordings(path, {
      mode: 'record',
      fetch: (input, init) => mock.fetch(new Request(input).url.replace('/api/', '/'), init),
    });
    const { apiKey } = mock;
    const recorded = new Polygate({
      apiKey,
      baseURL: 'https://host.example/api',
      fetch: tape.fetch,
    });
    const completion = await recorded.chat.completions.create(chat('A'));
    await tape.save();
    const gateway = new Polygate({ fetch: recordings(path, { mode: 'replay' }).fetch });
    expect(await gateway.chat.completions.create(chat('A'))).toEqual(completion);
  });

  test('shows where two long prompts differ', async () => {
    const { record, replay } = await startRecording();
    const start = 'All ships of the harbor. '.repeat(2_700);
    await record(async (gateway) =>
      gateway.chat.completions.create(chat(`${start}The ferry leaves at noon.`)),
    );
    const { gateway } = replay();
    const prompt = `${start}The barge leaves at noon.`;
    const { message } = await rejection(
      ConfigurationError,
      gateway.chat.completions.create(chat(prompt)),
    );
    expect(message).toContain('The ferry leaves');
    expect(message).toContain('The barge leaves');
    expect(message.length).toBeLessThan(1_000);
  });
});

const long = 'data:image/png;base64,'.padEnd(9_500_000, 'Ab1/');

describe('a response is recorded and replayed', () => {
  test.each<[string, string]>([
    ['with a long string next to a number of 16 digits', `{"id":1234567890123456,"a":"${long}"}`],
    [
      'with a long string of escapes',
      `{"id":1234567890123456,"a":"${String.raw`\n\"`.repeat(2_500_000)}"}`,
    ],
    [
      'that is one long link',
      JSON.stringify({ a: `https://files.example/${'a'.repeat(9_500_000)}` }),
    ],
    [
      'that is a long link in a text',
      JSON.stringify({ a: `See (https://files.example/?a=${'b'.repeat(9_500_000)}) and` }),
    ],
    ['that is cut off in a long string', `{"a":"${long}`],
    ['that is nested deeply', `${'['.repeat(50_000)}1${']'.repeat(50_000)}`],
    ['with an object that is nested deeply', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['with a long text', 'text '.repeat(2_000_000)],
  ])('%s', async (_, body) => {
    const { path } = await startRecording();
    const url = 'https://host.example/v1/models';
    const fetch = async () =>
      new Response(body, { headers: { 'content-type': 'application/json' } });
    const tape = recordings(path, { mode: 'record', fetch });
    await (await tape.fetch(url)).text();
    await tape.save();
    const replayed = await recordings(path, { mode: 'replay' }).fetch(url);
    const text = await replayed.text();
    expect(text.length).toBeGreaterThan(90_000);
    expect(await readFile(path, 'utf8')).toContain('"/v1/models"');
  });

  test.each([
    ['one long event', `data: {"a":"${long}"}\n\n`],
    ['an event of many lines', `${'data: a\n'.repeat(1_000_000)}\n`],
    ['an event with a number of 16 digits', `data: {"n":1234567890123456,"a":"${long}"}\n\n`],
    ['a comment of many lines before JSON', `${': a\n'.repeat(1_000_000)}data: {"a":"b"}\n\n`],
  ])('as a stream with %s', async (_, body) => {
    const { path } = await startRecording();
    const url = 'https://host.example/v1/chat/completions';
    const fetch = async () =>
      new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const tape = recordings(path, { mode: 'record', fetch });
    await (await tape.fetch(url)).text();
    await tape.save();
    const replayed = await recordings(path, { mode: 'replay' }).fetch(url);
    expect((await replayed.text()).length).toBe(body.length);
  });
});
