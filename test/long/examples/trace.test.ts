import { expect, test } from 'vitest';

import { runFromSource } from '../../run-from-source.ts';

test('trace-lost-response prints a trace with the retry, and one charge for the image', async () => {
  const run = await runFromSource(
    new URL('../../../examples/trace-lost-response.ts', import.meta.url),
  );
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const lines = run.stdout.split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(run.stdout).not.toContain('\u001B');
  expect(lines[0]).toMatch(/^make poster +\d+\.\d\d s {2}█{48}$/);
  expect(lines[1]).toMatch(/^├─ generate image +\d+\.\d\d s {2}█+$/);
  expect(run.stdout).toMatch(
    /generate_image prism-image .*█\n.* no response, retry with same key +◆/,
  );
  expect(run.stdout).toContain('0.02 USD, replayed\n');
  expect(run.stdout).toMatch(
    /└─ wait image .*█\n(.* status \w+ +◆\n)+(.* GET .*\{id\} .*█\n)+└─ chat/,
  );
  expect(run.stdout).toMatch(/\n {8}\d+ tokens in, \d+ out\n {8}first chunk after \d+ ms\n/);
  expect(run.stdout).toMatch(/polygate\.client\.charge +prism-image +0\.02 USD\n/);
  expect(run.stdout).toMatch(
    /retries in the trace: 1\ninvoice of the gateway:\n {2}prism-image +0\.02 USD\n {2}aurora-chat +0\.0000\d+ USD\n$/,
  );
});
