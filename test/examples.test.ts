import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { afterEach, describe, test, vi } from 'vitest';
import type { TestContext } from 'vitest';

import { runFromSource } from './run-from-source.ts';
import type { ProgramOptions } from './run-from-source.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => void vi.unstubAllEnvs());

const example = (name: string): URL => new URL(`../examples/${name}.ts`, import.meta.url);

interface Service {
  mock: MockGateway;
  cwd: string;
  surroundings: ProgramOptions;
}

/**
 * A service for one program, which it finds through the environment, and an empty folder to work in. Its time moves by
 * a second an answer: however slow the machine is, a program sees its tasks under way.
 */
async function service({ onTestFinished }: TestContext): Promise<Service> {
  const mock: MockGateway = createMockGateway({
    clock: 'virtual',
    tasks: { durationMs: 1_500 },
    materials: { durationMs: 1_500 },
    onResponse: () => void mock.clock.advance(1_000),
  });
  const server = await listen(mock);
  const cwd = await mkdtemp(join(tmpdir(), 'polygate-examples-'));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true });
  });
  const env = { POLYGATE_API_KEY: mock.apiKey, POLYGATE_BASE_URL: server.baseURL };
  return { mock, cwd, surroundings: { cwd, env } };
}

const calm = { code: 0, stderr: '' };

describe.concurrent('every example runs against the service that the environment names', () => {
  test('chat prints an answer, its cost and its request', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('chat'), surroundings);
    expect(run).toMatchObject(calm);
    const [charge] = mock.invoice;
    expect(run.stdout).toContain('Why do harbours have lighthouses?');
    expect(run.stdout).toContain(`cost     $${charge?.usd}`);
    expect(run.stdout).toContain(`request  ${charge?.requestId}`);
  });

  test('stream prints the words and how the answer ended', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('stream'), surroundings);
    expect(run).toMatchObject(calm);
    expect(run.stdout).toMatch(/Describe a harbour at dawn.*\n\nstop, \d+ tokens\n/s);
    expect(run.stdout).toContain(`$${mock.invoice[0]?.usd}`);
  });

  test('stream admits when the answer was cut off', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 4 });
    const run = await runFromSource(example('stream'), surroundings);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/cut off after \d+ characters/);
  });

  test('structured-output shows drafts and then a checked object', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('structured-output'), surroundings);
    expect(run).toMatchObject(calm);
    expect(run.stdout).toMatch(/^(… .*\n){3,}.+ has \d+ berths and \d+ sights\n\$/);
    expect(run.stdout).toContain(`$${mock.invoice[0]?.usd}`);
  });

  test('tools lets the model call functions and adds up the rounds', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('tools'), surroundings);
    expect(run).toMatchObject(calm);
    expect(run.stdout).toContain('tool: {"harbour":"Bergen","highWater":["05:12","17:38"]}');
    expect(run.stdout).toContain('tool: {"error":"No weather station in Bergen"}');
    for (const [index, { usd }] of mock.invoice.entries()) {
      expect(run.stdout).toContain(`round ${index + 1}: $${usd}\n`);
    }
    expect(mock.invoice).toHaveLength(2);
  });

  test('image-with-progress tells how far it is and saves the file', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await service(context);
    const run = await runFromSource(example('image-with-progress'), surroundings);
    expect(run).toMatchObject(calm);
    const lines = run.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`submitted ${mock.tasks[0]?.id} for $${mock.invoice[0]?.usd}`);
    expect(lines.slice(1, -2)).not.toEqual([]);
    expect(lines.at(-2)).toBe('succeeded 100 %');
    expect(lines.at(-1)).toBe('saved demo-output/image.svg');
    expect(await readFile(join(cwd, 'demo-output/image.svg'), 'utf8')).toContain('harbour at dawn');
  });

  test('video-from-material films a picture from the library', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('video-from-material'), surroundings);
    expect(run).toMatchObject(calm);
    const [, uri] = /mat_\w+ is (asset:\/\/\w+) until \d{4}-/.exec(run.stdout) ?? [];
    const submit = mock.requests.find(({ path }) => path === '/v1/videos');
    expect(submit?.body).toMatchObject({ content: [{}, { image_url: { url: uri } }] });
    expect(run.stdout).toContain(`submitted ${mock.tasks[0]?.id} for $${mock.invoice[0]?.usd}\n`);
    expect(run.stdout).toMatch(/film succeeded 100 %\nthe film is at http:\S+\.mp4/);
    expect(mock.invoice).toHaveLength(1);
  });

  test('resume-in-another-process pays once and finishes elsewhere', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('resume-in-another-process'), surroundings);
    expect(run).toMatchObject(calm);
    const { stdout } = run;
    const [, one] = /process (\d+) submitted task_/.exec(stdout) ?? [];
    const [, other] = /process (\d+) took over task_/.exec(stdout) ?? [];
    expect(new Set([one, other, undefined])).toHaveProperty('size', 3);
    expect(stdout).toMatch(/succeeded: http:\S+\.svg/);
    expect(mock.invoice).toHaveLength(1);
  });

  test('music tells the price, composes and saves the file', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await service(context);
    const run = await runFromSource(example('music'), surroundings);
    expect(run).toMatchObject(calm);
    const [charge] = mock.invoice;
    expect(run.stdout).toContain(`anthem-music asks about $${charge?.usd}\n`);
    expect(run.stdout).toMatch(/running \d+ %\n[^]*succeeded 100 %\nsaved demo-output\/song.wav/);
    expect(await readFile(join(cwd, 'demo-output/song.wav'), 'latin1')).toMatch(/^RIFF/);
  });

  test('speech-with-cloned-voice pays for a voice and lets it speak', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await service(context);
    const run = await runFromSource(example('speech-with-cloned-voice'), surroundings);
    expect(run).toMatchObject(calm);
    const [clone] = mock.invoice;
    expect(run.stdout).toContain(`cloning costs $${clone?.usd}\n`);
    const [, voice] = /Ann is (voice_\w+)/.exec(run.stdout) ?? [];
    const speech = mock.requests.find(({ path }) => path === '/v1/audio/tasks');
    expect(speech?.body).toMatchObject({ voice_id: voice });
    expect(await readFile(join(cwd, 'demo-output/ann.wav'), 'latin1')).toMatch(/^RIFF/);
  });

  test('speech-with-cloned-voice looks for its voice when the answer is lost', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    mock.fail({ route: 'POST /v1/audio/voices/clone', reset: 'after', times: 1 });
    const run = await runFromSource(example('speech-with-cloned-voice'), surroundings);
    expect(run).toMatchObject({ code: 1, stderr: 'the voice was made, but the answer was lost\n' });
    expect(mock.invoice).toHaveLength(1);
  });

  test('proxy-hono draws for a signed-in page and keeps its task from others', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('proxy-hono'), surroundings);
    expect(run).toMatchObject(calm);
    const [line] = mock.invoice;
    expect(run.stdout).toMatch(/^ann drew http:\S+\.svg\S* for \$/);
    expect(run.stdout).toContain(` for $${line?.usd}\n`);
    expect(run.stdout).toContain('bob may not see it: not_permitted');
    expect(run.stdout).not.toContain(mock.apiKey);
    expect(mock.requests.some(({ headers }) => 'cookie' in headers)).toBe(false);
  });

  test('batch draws every picture, and run again pays for none', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    for (const spent of ['1', '0']) {
      const run = await runFromSource(example('batch'), surroundings);
      expect(run).toMatchObject(calm);
      const last = run.stdout.split('\r').at(-1);
      expect(last).toBe(`200 of 200 drawn, 0 not, $${spent} spent by this process\n`);
    }
    expect(mock.invoice).toHaveLength(200);
  });

  test('crash-and-recover pays each picture once', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await service(context);
    const run = await runFromSource(example('crash-and-recover'), surroundings);
    expect(run).toMatchObject(calm);
    expect(run.stdout).toContain('the first process was ended by SIGKILL\n');
    const found = Array.from(run.stdout.matchAll(/^(A harbour at \w+): .* succeeded http/gm));
    expect(found).toHaveLength(mock.tasks.length);
    expect(mock.tasks.length).toBeGreaterThanOrEqual(3);
    expect(new Set(found.map(([, id]) => id)).size).toBe(mock.invoice.length);
    expect(run.stdout).toContain('asked again, and found');
  });

  test('the demo shows every step, and its sums agree with the service', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await service(context);
    const run = await runFromSource(example('demo'), surroundings);
    expect(run).toMatchObject(calm);
    expect(run.stdout).toContain('What this is going to cost');
    expect(run.stdout).toContain('100 %  succeeded');
    expect(run.stdout).toMatch(/class +BadRequestError\n[^]*outcome +rejected\n/);
    const spent = mock.invoice.reduce((sum, line) => sum + line.usd, 0);
    expect(run.stdout).toMatch(new RegExp(`gateway.spend .* \\$${Number(spent.toFixed(9))}\n`));
    expect(run.stdout).toMatch(new RegExp(`wallet +now +\\$${mock.wallet.usd}\n`));
    expect(run.stdout).not.toContain(mock.apiKey);
    expect(run.stdout).not.toContain('\u001B');
    expect(await readdir(join(cwd, 'demo-output'))).toEqual(['harbour.svg']);
  });
});

test('next-route answers pages of the app, for users whom it knows', async (context) => {
  const { expect } = context;
  const { mock, surroundings } = await service(context);
  for (const [name, value] of Object.entries(surroundings.env ?? {})) vi.stubEnv(name, value);
  const { POST, maxDuration } = await import('../examples/next-route.ts');
  const page = (session: string, origin = 'http://localhost:3000') =>
    new Polygate({
      apiKey: null,
      baseURL: 'http://localhost:3000/api/gateway',
      headers: { cookie: `session=${session}`, origin },
      fetch: async (input, init) => POST(new Request(input, init)),
    });
  const submit = (gateway: Polygate, model = 'prism-image') =>
    gateway.images.submit({ model, prompt: 'A harbour' });
  expect(await submit(page('s-1'))).toHaveProperty('id', mock.tasks[0]?.id);
  await expect(submit(page('s-9'))).rejects.toMatchObject({ code: 'sign_in_required' });
  await expect(submit(page('s-1', 'https://evil.example'))).rejects.toMatchObject({
    code: 'origin_not_allowed',
  });
  await expect(submit(page('s-1'), 'other')).rejects.toMatchObject({ code: 'model_not_allowed' });
  expect(mock.requests).toHaveLength(1);
  expect(maxDuration).toBeGreaterThan(60);
});

describe.concurrent('without a service in the environment', () => {
  test('an example starts a reference gateway and ends it', async ({ expect }) => {
    expect(await runFromSource(example('chat'))).toMatchObject(calm);
  });

  test('the demo ends cleanly on Ctrl-C and hands out the receipt', async ({ expect }) => {
    const run = await runFromSource(example('demo'), { interruptAt: '25 %' });
    expect(run).toMatchObject({ code: 130, stderr: '' });
    expect(run.stdout).toMatch(/Stopped\n +class +AbortedError\n[^]*\{"v":1,"kind":"image"/);
  });
});
