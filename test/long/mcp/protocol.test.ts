import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';

import { commandLine, Program, run } from '../../tools/cli/program.ts';
import { callTool, connect, serverCommand, setUp } from './support.ts';
import type { Setup } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };

test('list_voices lists the voices of a model with their samples, and is free', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const voices = await callTool(client, 'list_voices', { model: 'echo-speech' });
  expect(voices.text).toMatch(/^[\w-]+: .*Models: .*echo-speech.*Sample: https?:/m);
  const wrong = await callTool(client, 'list_voices', { model: 7 });
  expect(wrong.text).toMatch(/model: must be the id of a model\.\nNothing was charged\./);
  expect(setup.mock.invoice).toEqual([]);
});

test('every tool has a strict schema with descriptions, and no field for callbacks or routes', async () => {
  const { client } = await connect(await setUp());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'balance',
    'estimate',
    'generate_image',
    'generate_music',
    'generate_speech',
    'generate_video',
    'get_task',
    'list_models',
    'list_tasks',
    'list_voices',
  ]);
  expect(JSON.stringify(tools)).not.toMatch(/callback|webhook|"route"/i);
  const image = tools.find(({ name }) => name === 'generate_image')!.inputSchema;
  expect(image).toMatchObject({
    type: 'object',
    required: ['model'],
    additionalProperties: false,
    properties: {
      model: { type: 'string', description: expect.any(String) },
      prompt: { type: 'string' },
      n: { type: 'integer', minimum: 1 },
      again: { description: expect.stringContaining('second charge') },
    },
  });
  const speech = tools.find(({ name }) => name === 'generate_speech')!.inputSchema;
  expect(speech.properties).toMatchObject({ speed: { minimum: 0.5, maximum: 2 } });
});

test('each kind can be estimated and generated', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const requests = {
    image: { ...harbor, n: 2 },
    video: { model: 'tide-video', prompt: 'A harbor at dawn', duration: 4 },
    music: { model: 'anthem-music', prompt: 'A calm harbor' },
    speech: { model: 'echo-speech', input: 'Welcome', voice: 'narrator-1' },
  };
  for (const [kind, args] of Object.entries(requests)) {
    const estimate = await callTool(client, 'estimate', { kind, ...args });
    const reply = await callTool(client, `generate_${kind}`, args);
    expect(reply).toMatchObject({ isError: false });
    const [, price] = /Price: (\S+)/.exec(reply.text) ?? [];
    expect(estimate.text).toContain(`Estimated price: ${price}`);
    for (const [, path = ''] of reply.text.matchAll(/^Saved: (.*) \(\d+ bytes\)$/gm)) {
      expect(existsSync(path)).toBe(true);
    }
    expect(reply.images).toHaveLength(kind === 'image' ? 2 : 0);
  }
  expect(setup.mock.invoice).toHaveLength(4);
});

test('a request that no prompt describes is sent as it is', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const args = { model: 'prism-image', image: 'https://host.example/harbor.png', n: 1 };
  expect(await callTool(client, 'generate_image', args)).toMatchObject({ isError: false });
  const { body } = setup.mock.requests.find(({ method }) => method === 'POST')!;
  expect(body).toEqual(args);
});

test('after the wait, the reply has the id, and get_task returns the result', async () => {
  const setup = await setUp({ clock: 'virtual', tasks: { durationMs: 4000 } });
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '2', '--wait', '1']);
  const first = await callTool(client, 'generate_image', harbor);
  const [{ id } = { id: '' }] = mock.tasks;
  expect(first).toMatchObject({
    isError: false,
    text: expect.stringContaining(`get_task with task_id ${id}`),
  });
  await mock.clock.advance(4000);
  let text = '';
  while (!text.includes('Saved:')) {
    ({ text } = await callTool(client, 'get_task', { task_id: id }));
    expect(text).toContain(id);
  }
  expect(mock.invoice).toHaveLength(1);
});

test('without a wait, the reply has the id', async () => {
  const setup = await setUp({ tasks: { durationMs: 600_000 } });
  const { client } = await connect(setup, ['--max-usd', '2', '--wait', '0']);
  const first = await callTool(client, 'generate_image', harbor);
  const id = setup.mock.tasks[0]!.id;
  const looked = await callTool(client, 'get_task', { task_id: id });
  for (const { text, isError } of [first, looked]) {
    expect(isError).toBe(false);
    expect(text).toContain(`get_task with task_id ${id}`);
  }
});

test('progress is reported to a client that requests it, and always increases', async () => {
  // The clock advances with each response, so that the server observes the task while it runs, however slow the machine is.
  const setup: Setup = await setUp({
    clock: 'virtual',
    tasks: { durationMs: 3000 },
    onResponse: () => void setup.mock.clock.advance(1000),
  });
  const { client } = await connect(setup);
  const seen: { progress: number; message: string }[] = [];
  await callTool(client, 'generate_image', harbor, {
    onprogress: ({ progress, message = '' }: { progress: number; message?: string }) => {
      seen.push({ progress, message });
    },
  });
  const values = seen.map(({ progress }) => progress);
  expect(values.length).toBeGreaterThan(2);
  expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
  expect(seen.some(({ message }) => message.includes(setup.mock.tasks[0]!.id))).toBe(true);
});

test('clients of both protocol generations can use it', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const modern = new NewClient(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await modern.connect(new NewTransport({ ...serverCommand(setup), stderr: 'ignore' }));
  const old = new OldClient({ name: 'test', version: '1.0.0' });
  await old.connect(new OldTransport({ ...serverCommand(setup), stderr: 'ignore' }));
  try {
    for (const client of [modern, old]) {
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(10);
      const seen: number[] = [];
      const options = { onprogress: ({ progress }: { progress: number }) => seen.push(progress) };
      const rest = client === old ? [undefined, options] : [options];
      const reply = await callTool(client, 'generate_image', harbor, ...rest);
      expect(reply).toMatchObject({ isError: false, images: [{ mimeType: 'image/png' }] });
      expect(seen.length).toBeGreaterThan(0);
    }
  } finally {
    await modern.close();
    await old.close();
  }
  expect(mock.invoice).toHaveLength(1);
});

test('stdout has the protocol and nothing else, and the process ends with stdin', async () => {
  const setup = await setUp();
  const args = ['mcp', '--max-usd', '1', '--output', setup.output];
  const program = new Program(commandLine('polygate', args), setup.env);
  const send = (message: object) =>
    program.child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1.0.0' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await program.printed(/"id":1/);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'generate_image', arguments: harbor } });
  await program.printed(/"id":2/);
  program.child.stdin!.end();
  const { code, stdout, stderr } = await program.end();
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  }
  expect(stderr).toContain('Submitted as task_');
  expect(stdout + stderr).not.toContain(setup.mock.apiKey);
});

test('it ends with 0 when stdin is a file, which ends without closing', async () => {
  const setup = await setUp();
  const file = join(setup.env.XDG_STATE_HOME!, '..', 'requests.jsonl');
  await writeFile(file, '');
  const [command = '', ...args] = commandLine('polygate', ['mcp', '--output', setup.output]);
  const script = 'exec "$@" < "$0"';
  for (const path of [file, '/dev/null']) {
    const program = new Program(['sh', '-c', script, path, command, ...args], setup.env);
    expect(await program.end()).toMatchObject({ code: 0, stdout: '', stderr: '' });
  }
});

test('SIGTERM ends it, although stdin is open', async () => {
  const setup = await setUp();
  const args = ['mcp', '--output', setup.output];
  const program = new Program(commandLine('polygate', args), setup.env);
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
  program.child.stdin!.write(`${JSON.stringify(request)}\n`);
  await program.printed(/"id":1/);
  expect(await program.end('SIGTERM')).toMatchObject({ code: 143 });
});

test('invalid options and folders end it with 2 before anything is sent', async () => {
  const setup = await setUp();
  const file = join(setup.env.XDG_STATE_HOME!, '..', 'file');
  await writeFile(file, '');
  const runs = [
    ['--max-usd', '0'],
    ['--max-usd', '1', '--wait', 'long'],
    ['--max-usd', '1', '--output', join(file, 'media')],
    ['--max-usd', '1', '--output', join(setup.output, '{id}')],
  ];
  for (const args of runs) {
    const ended = await run('polygate', ['mcp', ...args], setup.env);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
  }
  expect(setup.mock.requests).toEqual([]);
});

test('the same folder by another name has the same session', async () => {
  const setup = await setUp();
  await mkdir(setup.output, { recursive: true });
  const link = `${setup.output}-link`;
  await symlink(setup.output, link);
  for (const output of [setup.output, link]) {
    const { client } = await connect({ ...setup, output });
    expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  }
  expect(setup.mock.invoice).toHaveLength(1);
});

test('without the package for the protocol, the error names the command that installs it', async () => {
  const setup = await setUp();
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (!specifier.startsWith('@modelcontextprotocol/')) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
    } });`;
  // From the sources: the command that other tests run has the package in it.
  const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const hooks = [
    new URL('../../from-source.ts', import.meta.url).href,
    `data:text/javascript,${encodeURIComponent(hook)}`,
  ].flatMap((url) => ['--import', url]);
  const program = [pathOf('../../../src/tools/cli/polygate.ts'), 'mcp', '--max-usd', '1'];
  const withHook = [process.execPath, ...hooks, ...program];
  const { code, stdout, stderr } = await new Program(withHook, setup.env).end();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('npm install @modelcontextprotocol/server');
});
