import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { afterEach, describe, test, vi } from 'vitest';

import { runFromSource } from '../../run-from-source.ts';
import { example, startService } from '../../support/example-service.ts';

afterEach(() => void vi.unstubAllEnvs());

const success = { code: 0, stderr: '' };

describe.concurrent('with a service in the environment', () => {
  test('chat prints the completion, its cost and the request id', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('chat'), surroundings);
    expect(run).toMatchObject(success);
    const [charge] = mock.invoice;
    expect(run.stdout).toContain('Why do harbors have lighthouses?');
    expect(run.stdout).toContain(`cost     $${charge?.usd}`);
    expect(run.stdout).toContain(`request  ${charge?.requestId}`);
  });

  test('stream prints the text and the finish reason', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('stream'), surroundings);
    expect(run).toMatchObject(success);
    expect(run.stdout).toMatch(/Describe a harbor at dawn.*\n\nstop, \d+ tokens\n/s);
    expect(run.stdout).toContain(`$${mock.invoice[0]?.usd}`);
  });

  test('stream reports a truncated stream', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 4 });
    const run = await runFromSource(example('stream'), surroundings);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/truncated after \d+ characters/);
  });

  test('structured-output shows partial objects and then the validated object', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('structured-output'), surroundings);
    expect(run).toMatchObject(success);
    expect(run.stdout).toMatch(/^(\{.*\}\n){3,}\nVågen has 120 berths and 3 sights\.\n\$/);
    expect(run.stdout).toContain(`$${mock.invoice[0]?.usd}`);
  });

  test('fallback fails with what each model has responded', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    mock.fail({ model: 'aurora-chat', status: 404 });
    mock.fail({ model: 'aurora-reasoner', status: 503 });
    mock.fail({ model: 'lumen/vision-chat', status: 500, handled: true });
    const run = await runFromSource(example('fallback'), surroundings);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/failed \(unknown\).*aurora-chat.*404.*503.*lumen\/vision-chat/s);
    expect(mock.invoice).toHaveLength(1);
  });

  test('tools lets the model call functions and adds up the cost of the rounds', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('tools'), surroundings);
    expect(run).toMatchObject(success);
    expect(run.stdout).toContain('tool: {"harbor":"Bergen","highWater":["05:12","17:38"]}');
    expect(run.stdout).toContain('tool: {"error":"No weather station in Bergen"}');
    for (const [index, { usd }] of mock.invoice.entries()) {
      expect(run.stdout).toContain(`round ${index + 1}: $${usd}\n`);
    }
    expect(mock.invoice).toHaveLength(2);
  });

  test('image-with-progress prints the progress and saves the file', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await startService(context);
    const run = await runFromSource(example('image-with-progress'), surroundings);
    expect(run).toMatchObject(success);
    const lines = run.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`submitted ${mock.tasks[0]?.id} for $${mock.invoice[0]?.usd}`);
    expect(lines.slice(1, -2)).not.toEqual([]);
    expect(lines.at(-2)).toBe('succeeded 100%');
    expect(lines.at(-1)).toBe('saved demo-output/image.png');
    expect(await readFile(join(cwd, 'demo-output/image.png'), 'utf8')).toContain('PNG');
  });

  test('video-from-material uses the material in a video', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('video-from-material'), surroundings);
    expect(run).toMatchObject(success);
    const [, uri] = /mat_\w+ is (asset:\/\/\w+) until \d{4}-/.exec(run.stdout) ?? [];
    const submit = mock.requests.find(({ path }) => path === '/v1/videos');
    expect(submit?.body).toMatchObject({ content: [{}, { image_url: { url: uri } }] });
    expect(run.stdout).toContain(`submitted ${mock.tasks[0]?.id} for $${mock.invoice[0]?.usd}\n`);
    expect(run.stdout).toMatch(/video succeeded 100%\nthe video is at http:\S+\.mp4/);
    expect(mock.invoice).toHaveLength(1);
  });

  test('video-to-file prints the progress of the download and saves the file', async (context) => {
    const { expect } = context;
    const { cwd, surroundings } = await startService(context);
    const run = await runFromSource(example('video-to-file'), surroundings);
    expect(run).toMatchObject(success);
    const { byteLength } = await readFile(join(cwd, 'demo-output/harbor.mp4'));
    expect(run.stdout).toContain(`\n${byteLength} of ${byteLength} bytes\n`);
    const last = `saved demo-output/harbor.mp4: ${byteLength} bytes of video/mp4\n`;
    expect(run.stdout.endsWith(last)).toBe(true);
    expect(await readdir(join(cwd, 'demo-output'))).toEqual(['harbor.mp4']);
  });

  test('resume-in-another-process is charged once and finishes in the second process', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('resume-in-another-process'), surroundings);
    expect(run).toMatchObject(success);
    const { stdout } = run;
    const [, first] = /process (\d+) submitted task_/.exec(stdout) ?? [];
    const [, second] = /process (\d+) resumed task_/.exec(stdout) ?? [];
    expect(new Set([first, second, undefined])).toHaveProperty('size', 3);
    expect(stdout).toMatch(/succeeded: http:\S+\.png/);
    expect(mock.invoice).toHaveLength(1);
  });

  test('music prints the price and saves the file', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await startService(context);
    const run = await runFromSource(example('music'), surroundings);
    expect(run).toMatchObject(success);
    const [charge] = mock.invoice;
    expect(run.stdout).toContain(`anthem-music costs about $${charge?.usd}\n`);
    expect(run.stdout).toContain('succeeded 100%\nsaved demo-output/song.wav');
    expect(await readFile(join(cwd, 'demo-output/song.wav'), 'latin1')).toMatch(/^RIFF/);
  });

  test('speech-with-cloned-voice clones a voice and saves speech with it', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await startService(context);
    const run = await runFromSource(example('speech-with-cloned-voice'), surroundings);
    expect(run).toMatchObject(success);
    const [clone] = mock.invoice;
    expect(run.stdout).toContain(`cloning costs $${clone?.usd}\n`);
    const [, voice] = /Ann is (voice_\w+)/.exec(run.stdout) ?? [];
    const speech = mock.requests.find(({ path }) => path === '/v1/audio/tasks');
    expect(speech?.body).toMatchObject({ voice_id: voice });
    expect(await readFile(join(cwd, 'demo-output/ann.wav'), 'latin1')).toMatch(/^RIFF/);
  });

  test('speech-with-cloned-voice looks for the voice if the response is lost', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    mock.fail({ route: 'POST /v1/audio/voices/clone', reset: 'after', times: 1 });
    const run = await runFromSource(example('speech-with-cloned-voice'), surroundings);
    expect(run).toMatchObject({
      code: 1,
      stderr: 'the voice was created, but the response was lost\n',
    });
    expect(mock.invoice).toHaveLength(1);
  });

  test('proxy-hono generates an image for a signed-in user and denies other users access to it, and limits the spending', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('proxy-hono'), surroundings);
    expect(run).toMatchObject(success);
    const [line] = mock.invoice;
    expect(run.stdout).toMatch(/^ann generated http:\S+\.png\S* for \$/);
    expect(run.stdout).toContain(` for $${line?.usd}\n`);
    expect(run.stdout).toContain('bob cannot access it: task_not_found');
    expect(run.stdout).toContain('ann has spent $0.02 of $0.05: user_limit_exceeded');
    expect(run.stdout).not.toContain(mock.apiKey);
    expect(mock.requests.some(({ headers }) => 'cookie' in headers)).toBe(false);
  });

  test('ai-sdk streams a chat and saves an image, with the charge of each', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await startService(context);
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    const run = await runFromSource(example('ai-sdk'), surroundings);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('retry 1') });
    expect(mock.invoice).toHaveLength(2);
    const [chat, image] = mock.invoice;
    expect(run.stdout).toContain(`\n\nstop, USD: ${chat?.usd}\n`);
    expect(run.stdout).toMatch(/^saved demo-output\/ai-sdk\.\w+, USD: /m);
    expect(run.stdout).toContain(`, USD: ${image?.usd}\n`);
    expect(await readdir(join(cwd, 'demo-output'))).toHaveLength(1);
  });

  test('batch generates every image, and a second run is charged for nothing', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    for (const spent of ['1', '0']) {
      const run = await runFromSource(example('batch'), surroundings);
      expect(run).toMatchObject(success);
      const lines = run.stdout.trimEnd().split('\n');
      expect(lines.pop()).toBe(`200 of 200 done, 0 failed, this process spent $${spent}`);
      expect(lines.filter((line) => /^image \d+: succeeded, http/.test(line))).toHaveLength(200);
    }
    expect(mock.invoice).toHaveLength(200);
  });

  test('batch-chats labels every text, and a second run sends nothing', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    for (const _ of [1, 2]) {
      const run = await runFromSource(example('batch-chats'), surroundings);
      expect(run).toMatchObject(success);
      expect(run.stdout).toContain('100 of 100 done, 0 without a label');
    }
    expect(mock.invoice).toHaveLength(100);
  });

  test('crash-and-recover is charged once per image', async (context) => {
    const { expect } = context;
    const { mock, surroundings } = await startService(context);
    const run = await runFromSource(example('crash-and-recover'), surroundings);
    expect(run).toMatchObject(success);
    expect(run.stdout).toContain('The first process was killed by SIGKILL.');
    const rows = Array.from(run.stdout.matchAll(/^(An? \w+): .* succeeded http/gm));
    expect(rows).toHaveLength(mock.tasks.length);
    expect(mock.tasks.length).toBeGreaterThanOrEqual(3);
    expect(new Set(rows.map(([, id]) => id)).size).toBe(mock.invoice.length);
    expect(run.stdout).toContain('resubmitted with the same key');
  });
});

test('next-route serves known users on pages of the app', async (context) => {
  const { expect } = context;
  const { mock, surroundings } = await startService(context);
  for (const [name, value] of Object.entries(surroundings.env ?? {})) vi.stubEnv(name, value);
  const { POST, maxDuration } = await import('../../../examples/next-route.ts');
  const page = (session: string, origin = 'http://localhost:3000') =>
    new Polygate({
      apiKey: null,
      baseURL: 'http://localhost:3000/api/gateway',
      headers: { cookie: `session=${session}`, origin },
      fetch: async (input, init) => POST(new Request(input, init)),
    });
  const submit = (gateway: Polygate, model = 'prism-image') =>
    gateway.images.submit({ model, prompt: 'A harbor' });
  expect(await submit(page('s-1'))).toHaveProperty('id', mock.tasks[0]?.id);
  await expect(submit(page('s-9'))).rejects.toMatchObject({ code: 'sign_in_required' });
  await expect(submit(page('s-1', 'https://evil.example'))).rejects.toMatchObject({
    code: 'origin_not_allowed',
  });
  await expect(submit(page('s-1'), 'other')).rejects.toMatchObject({ code: 'model_not_allowed' });
  expect(mock.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/images/tasks']);
  expect(maxDuration).toBeGreaterThan(60);
});

describe.concurrent('without a service in the environment', () => {
  test('fallback uses the second model, and pays once', async ({ expect }) => {
    const run = await runFromSource(example('fallback'));
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('aurora-chat was requested, aurora-reasoner responded:');
    expect(run.stdout.match(/charged/g)).toHaveLength(1);
  });

  test('an example starts a reference gateway and stops it', async ({ expect }) => {
    expect(await runFromSource(example('chat'))).toMatchObject(success);
  });

  test('crash-and-recover ends with the invoice of the gateway', async ({ expect }) => {
    const run = await runFromSource(example('crash-and-recover'));
    expect(run).toMatchObject(success);
    const [, invoice = ''] = run.stdout.split('Invoice of the gateway:\n');
    const charges = invoice.match(/^task_\w+ {2}\S+ {2}\$0\.\d+$/gm) ?? [];
    expect(new Set(charges).size).toBeGreaterThanOrEqual(3);
    expect(invoice).toContain(`\n${charges.length} charges for ${charges.length} tasks\n`);
  });
});
