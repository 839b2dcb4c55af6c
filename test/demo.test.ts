import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, test } from 'vitest';

import { runFromSource } from './run-from-source.ts';
import { example, startService } from './support/example-service.ts';

describe.concurrent('the demo', () => {
  test('streams a chat and generates an image with a real service, and its total matches', async (context) => {
    const { expect } = context;
    const { mock, cwd, surroundings } = await startService(context);
    const run = await runFromSource(example('demo'), surroundings);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('Estimated cost');
    expect(run.stdout).toContain('100%  succeeded');
    const spent = mock.invoice.reduce((sum, line) => sum + line.usd, 0);
    expect(run.stdout).toMatch(new RegExp(`total .* \\$${Number(spent.toFixed(9))}\n`));
    expect(run.stdout).not.toContain(mock.apiKey);
    expect(run.stdout).not.toContain('\u001B');
    expect(await readdir(join(cwd, 'demo-output'))).toEqual(['harbour.svg']);
  });

  test('recovers a lost response and a killed batch, and ends with one charge per row', async ({
    expect,
  }) => {
    const cwd = await mkdtemp(join(tmpdir(), 'polygate-demo-'));
    const { code, stdout, stderr } = await runFromSource(example('demo'), { cwd });
    await rm(cwd, { recursive: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /You said: [^]*100% {2}succeeded[^]*no complete response; retry 1 in \d+ ms/,
    );
    expect(stdout).toMatch(
      /killed +by SIGKILL {2}[345] charges so far\n[^]*charged +6 times for 6 rows/,
    );
    expect(stdout.match(/^ {2}harbour at \w+ +succeeded/gm)).toHaveLength(6);
    const [, next, invoice = ''] =
      /What to look at next\n([^]*)Invoice of the gateway.*\n([^]*)$/.exec(stdout) ?? [];
    expect(next).toContain('npm run playground');
    const rows = Array.from(invoice.matchAll(/^ {2}(.*?) {2,}\S+ .*\$0\.\d+$/gm), ([, row]) => row);
    expect(rows).toHaveLength(9);
    expect(new Set(rows)).toHaveProperty('size', rows.length);
    expect(stdout.endsWith('\n  Nothing was paid for twice.\n')).toBe(true);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('exits cleanly on Ctrl-C and prints the receipt', async ({ expect }) => {
    const run = await runFromSource(example('demo'), { interruptAt: '25%' });
    expect(run).toMatchObject({ code: 130, stderr: '' });
    expect(run.stdout).toMatch(/Stopped\n +class +AbortedError\n[^]*\{"v":1,"kind":"image"/);
  });
});
