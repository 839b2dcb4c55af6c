import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startService } from '../../long/cli/service.ts';

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
