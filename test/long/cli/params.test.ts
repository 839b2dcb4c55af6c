import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startService } from './service.ts';

const image = ['image', 'A harbor', '-m', 'prism-image'];
const chat = ['chat', 'Hello', '-m', 'aurora-chat'];

test.concurrent.each([
  ['image', [...image, '--param', 'resolutoin=4K'], 'resolution'],
  ['image', [...image, '--param', 'Resolution=4K'], 'resolution'],
  ['chat', [...chat, '--param', 'max_token=5'], 'max_tokens'],
  ['chat', [...chat, '--param', 'stream_options={"include_usge":true}'], 'include_usage'],
  ['speech', ['speech', 'Hi', '-m', 'echo-speech', '--param', 'sped=2'], 'speed'],
  ['batch', ['batch', 'rows.csv', '--max-usd', '1', '--param', 'resolutoin=4K'], 'resolution'],
  ['batch', ['batch', 'typo.csv', '--max-usd', '1'], 'resolution'],
])('%s %j sends nothing, exits with 2 and names %s', async (_, args, name) => {
  const { mock, folder, run: polygate } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'prompt,model\nA harbor,prism-image\n');
  writeFileSync(join(folder, 'typo.csv'), 'prompt,model,resolutoin\nA harbor,prism-image,4K\n');
  const { code, stdout, stderr } = await polygate(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(new RegExp(`did you mean ${name}\\?`, 'i'));
  expect(mock.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test.concurrent.each([
  ['image', [...image, '--param', 'idempotencyKey=order-17'], 'idempotencyKey'],
  ['chat', [...chat, '--param', 'maxRetries=0'], 'maxRetries'],
  ['batch', ['batch', 'rows.csv', '--max-usd', '1', '--param', 'timeout=5'], 'timeout'],
])('%s %j does not send an option of the client as a field', async (_, args, name) => {
  const { mock, folder, run: polygate } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'prompt,model\nA harbor,prism-image\n');
  const { code, stdout, stderr } = await polygate(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`--param ${name} is an option of the client, not a field`);
  expect(mock.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test.concurrent.each([
  ['a name that resembles no documented one', ['--param', 'seed=7'], { seed: 7 }],
  [
    'extra_body, with any names in it',
    ['--param', 'extra_body={"resolutoin":"4K"}'],
    { extra_body: { resolutoin: '4K' } },
  ],
  ['any name after --field', ['--field', 'resolutoin=4K'], { resolutoin: '4K' }],
  ['the name of an option after --field', ['--field', 'timeout=5'], { timeout: 5 }],
])('%s is sent', async (_, args, sent) => {
  const { mock, folder, run: polygate } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'prompt,model\nA harbor,prism-image\n');
  const batch = ['batch', 'rows.csv', '--max-usd', '1'];
  for (const command of [image, batch]) {
    expect(await polygate([...command, ...args])).toMatchObject({ code: 0 });
  }
  const bodies = mock.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(bodies).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
});

const video = ['video', 'A harbor', '-m', 'tide-video', '--duration', '5'];
const speech = ['speech', 'Hi', '-m', 'echo-speech'];

test.concurrent.each([
  [
    [...image, '--size', '1024x1024', '--aspect-ratio=16:9'],
    { size: '1024x1024', aspect_ratio: '16:9' },
  ],
  [[...video, '--size', '720p'], { duration: 5, size: '720p' }],
  [
    [...speech, '--voice', 'calm-narrator', '--param', 'speed=1.2'],
    { voice_id: 'calm-narrator', speed: 1.2 },
  ],
])('%j sends common fields under their names', async (args, sent) => {
  const { mock, run: polygate } = await startService();
  expect(await polygate(args)).toMatchObject({ code: 0 });
  expect(mock.requests.find(({ method }) => method === 'POST')?.body).toMatchObject(sent);
});

test.concurrent.each([
  [[...image, '--resolution', '2K'], 'unknown option --resolution; use --param resolution=2K'],
  [[...image, '--resoluton=2K'], 'use --param resolution=2K'],
  [[...chat, '--max-tokens', '5'], 'use --param max_tokens=5'],
  [['batch', 'rows.csv', '--resolution', '4K'], 'use --param resolution=4K'],
  [['music', 'A song', '-m', 'anthem-music', '--lyrics', 'la la'], "use --param lyrics='la la'"],
  [[...image, '--jsom'], 'unknown option --jsom; did you mean --json?'],
  [[...image, '--prompt', 'x'], 'unknown option --prompt (see --help)'],
  [[...image, '--size', '1K', '--param', 'size=2K'], 'size is set twice'],
  [
    ['video', 'A', '-m', 'tide-video', '--duration', 'long'],
    '--duration must be a number, not long',
  ],
])('%j says which option sets the field, and sends nothing', async (args, advice) => {
  const { mock, run: polygate } = await startService();
  const { code, stderr } = await polygate(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(advice)]);
  expect(mock.requests).toEqual([]);
});

test.concurrent.each([
  [
    ['image', 'A', '-m', 'prism-imge'],
    /\nDid you mean prism-image\? npx polygate models --type image lists/,
  ],
  [
    ['chat', 'A', '-m', 'aurora-chatt'],
    /\nDid you mean aurora-chat\? npx polygate models --type chat lists/,
  ],
  [
    ['image', 'A', '-m', 'zzz'],
    /\nnpx polygate models --type image lists the models of your API key\.\n/,
  ],
  [
    speech,
    /\nSet a voice with --voice <id>, or with --param voice_id=<id>\. npx polygate voices -m echo-speech lists/,
  ],
])('%j says what to do about the rejection', async (args, advice) => {
  const { mock, run: polygate } = await startService();
  const { code, stderr } = await polygate(args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(advice)]);
  expect(mock.invoice).toEqual([]);
});

test.concurrent('an error that has nothing to do with the model suggests none', async () => {
  const { run: polygate } = await startService({ wallet: { usd: 0 } });
  const { code, stderr } = await polygate(image);
  expect([code, stderr]).toEqual([
    1,
    expect.not.stringMatching(/npx polygate models|Did you mean/),
  ]);
});

test.concurrent('voices lists the voices of a model with a sample of each, as text or JSON', async () => {
  const { run: polygate, baseURL } = await startService();
  const { code, stdout } = await polygate(['voices', '-m', 'echo-speech-hd']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^calm-narrator\n {2}Calm Narrator, English\. .*\n {2}Models: echo-speech, /,
  );
  expect(stdout).toContain(`\n  Sample: ${baseURL}/previews/voices/calm-narrator\n`);
  expect(stdout).not.toContain('radio-tokyo');
  const list = JSON.parse((await polygate(['voices', '--json'])).stdout);
  expect(list.map(({ voice_id }: { voice_id: string }) => voice_id)).toContain('radio-tokyo');
});
