import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { encodePng } from '../../../src/tools/mcp/png.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../../tools/cli/program.ts';
import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: '../../escape' };

/** Makes the gateway name a file of a server of our own as the result, under an id with path segments. */
async function withResult(file: Buffer, type: string) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': file.length }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address() as AddressInfo;
  const setup = await setUp();
  const url = `http://127.0.0.1:${address.port}/..%2f..%2fevil.sh`;
  setup.mock.fail({
    route: 'POST /v1/images/tasks',
    handled: true,
    status: 200,
    headers: { 'x-svc-task-id': null, location: null },
    body: {
      id: 'evil.sh',
      task_id: 'evil.sh',
      status: 'succeeded',
      image_url: url,
      result: { image_url: url, outputs: [url], images: [{ url }] },
    },
  });
  return setup;
}

test('names of files come neither from the service nor from the prompt', async () => {
  const setup = await withResult(
    encodePng({ width: 1, height: 1, data: new Uint8Array(4) }),
    'image/../../x',
  );
  const { client } = await connect(setup);
  const reply = await callTool(client, 'generate_image', harbor);
  expect(reply).toMatchObject({ isError: false });
  expect(readdirSync(setup.output)).toEqual([expect.stringMatching(/^image-[\da-f]{12}\.bin$/)]);
});

test('a result that arrives with the response needs no poll, also if no time is left', async () => {
  const file = encodePng({ width: 1, height: 1, data: new Uint8Array(4) });
  const setup = await withResult(file, 'image/png');
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  const { text, isError } = await callTool(client, 'generate_image', harbor);
  expect(text).toContain('Saved: ');
  expect(isError).toBe(false);
});

test('a large image has a small preview, and is never part of the reply', async () => {
  // Noise, which does not compress.
  const [width, height] = [600, 400];
  const file = encodePng({ width, height, data: new Uint8Array(randomBytes(width * height * 4)) });
  expect(file.length).toBeGreaterThan(500_000);
  const setup = await withResult(file, 'image/png');
  const { client } = await connect(setup);
  const { images, isError } = await callTool(client, 'generate_image', harbor);
  expect(isError).toBe(false);
  expect(images).toHaveLength(1);
  const preview = Buffer.from(images[0]!.data, 'base64');
  expect(preview.length).toBeLessThanOrEqual(60_000);
  const [name = ''] = readdirSync(setup.output);
  expect(readFileSync(`${setup.output}/${name}`).equals(file)).toBe(true);
});

test('a small image is its own preview; a file that is no image has none', async () => {
  const file = encodePng({ width: 2, height: 2, data: new Uint8Array(16).fill(200) });
  const small = await withResult(file, 'image/png');
  const { client } = await connect(small);
  const { images } = await callTool(client, 'generate_image', harbor);
  expect(images).toEqual([{ mimeType: 'image/png', data: file.toString('base64') }]);

  const other = await withResult(Buffer.from('<svg/>'), 'image/png');
  const reply = await callTool((await connect(other)).client, 'generate_image', harbor);
  expect(reply).toMatchObject({ isError: false, images: [] });
});

test('a file is kept as it is, and saved again only if it is gone', async () => {
  const setup = await setUp();
  const { mock, output } = setup;
  const { client } = await connect(setup);
  await callTool(client, 'generate_image', { ...harbor, n: 2 });
  const names = readdirSync(output).toSorted();
  expect(names).toHaveLength(2);
  rmSync(`${output}/${names[0]}`);
  writeFileSync(`${output}/${names[1]}`, 'edited');
  const { text } = await callTool(client, 'generate_image', { ...harbor, n: 2 });
  expect(readdirSync(output).toSorted()).toEqual(names);
  expect(readFileSync(`${output}/${names[1]}`, 'utf8')).toBe('edited');
  expect(
    [...text.matchAll(/^Saved: (.*) \(/gm)].map(([, path = '']) => basename(path)).toSorted(),
  ).toEqual(names);
  expect(mock.invoice).toHaveLength(1);
});

test('a result that cannot be saved is an error that says what was charged and how to continue', async () => {
  const setup = await setUp();
  const { mock, output } = setup;
  const { client } = await connect(setup);
  mock.fail({ route: 'GET /media/{id}', status: 403 });
  rmSync(output, { recursive: true });
  writeFileSync(output, '');
  const failed = await callTool(client, 'generate_image', harbor);
  expect(failed).toMatchObject({ isError: true });
  expect(failed.text).toMatch(/was charged \$0\.02[^]*call get_task with task_id task_/);
  mock.clearFaults();
  rmSync(output);
  const id = mock.tasks[0]!.id;
  expect(await callTool(client, 'get_task', { task_id: id })).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
});

test('the commands continue a task of the server, and save it under the same name', async () => {
  const setup = await setUp({ clock: 'virtual', tasks: { durationMs: 1000 } });
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  await callTool(client, 'generate_image', harbor);
  const id = setup.mock.tasks[0]!.id;
  await setup.mock.clock.advance(1000);
  const { code, stdout } = await run('polygate', ['task', 'wait', id], setup.env);
  expect(code).toBe(0);
  const { text } = await callTool(client, 'get_task', { task_id: id });
  expect(text).toContain(stdout.trim());
  expect(readdirSync(setup.output)).toHaveLength(1);
  expect(setup.mock.invoice).toHaveLength(1);
});

test('a task whose receipt cannot be stored can be continued', async () => {
  const setup = await setUp();
  const { mock, env } = setup;
  const { client, stderr } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  mock.fail({ route: 'POST /v1/images/tasks', delayMs: 4000, times: 1 });
  mock.fail({ route: 'GET /media/{id}', status: 403, times: 1 });
  const call = callTool(client, 'generate_image', harbor);
  await eventually(() => expect(mock.tasks).toHaveLength(1));
  const tasks = `${env.XDG_STATE_HOME}/polygate/tasks`;
  rmSync(tasks, { recursive: true });
  writeFileSync(tasks, '');
  await call;
  expect(stderr()).toContain('The receipt could not be stored');
  const found = await callTool(client, 'get_task', { task_id: mock.tasks[0]!.id });
  expect(found).toMatchObject({ isError: false, text: expect.stringContaining('Saved: ') });
  const other = await callTool(client, 'generate_image', { ...harbor, again: 1 });
  expect(other.text).toMatch(
    /cannot write to the state folder[^]*Nothing was charged[^]*To continue/,
  );
  expect(mock.invoice).toHaveLength(1);
});

test('a result that is no media is an error, and get_task fetches the paid one later', async () => {
  const setup = await setUp();
  const { mock, output } = setup;
  mock.fail({
    route: 'GET /media/{task}/{file}',
    status: 200,
    body: '<!doctype html><title>Down</title>',
    headers: { 'content-type': 'image/png' },
  });
  const { client } = await connect(setup);
  const call = { model: 'prism-image', prompt: 'A harbor' };
  const failed = await callTool(client, 'generate_image', call);
  expect([failed.isError, failed.images]).toEqual([true, []]);
  expect(failed.text).toMatch(/The result of task \S+ is no image: its server sent an HTML page/);
  expect(failed.text).toContain('The task is paid for, and its result can be fetched again');
  const [, id = ''] = /call get_task with task_id (\S+)/.exec(failed.text) ?? [];
  expect(readdirSync(output)).toEqual([]);
  mock.clearFaults();
  const saved = await callTool(client, 'get_task', { task_id: id });
  expect([saved.isError, saved.text]).toEqual([false, expect.stringMatching(/^Saved: /)]);
  expect(mock.invoice).toHaveLength(1);
});
