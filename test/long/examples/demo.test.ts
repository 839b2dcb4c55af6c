import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { describe, test } from 'vitest';

import { runFromSource } from '../../run-from-source.ts';
import { example, startService } from '../../support/example-service.ts';

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
    expect(await readdir(join(cwd, 'demo-output'))).toEqual(['harbor.png']);
  });

  test('recovers a lost response and a killed batch, and ends with one charge per row', async ({
    expect,
  }) => {
    const cwd = await mkdtemp(join(tmpdir(), 'polygate-demo-'));
    // With the colors of a terminal.
    const run = await runFromSource(example('demo'), { cwd, env: { FORCE_COLOR: '1' } });
    await rm(cwd, { recursive: true });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('\u001B[2m');
    const stdout = stripVTControlCharacters(run.stdout);
    expect(stdout).not.toMatch(/\[\d+m/);
    expect(stdout).toMatch(
      /You said: [^]*100% {2}succeeded[^]*no complete response; retry 1 in \d+ ms/,
    );
    expect(stdout).toMatch(
      /killed at the third charge that it receives\n[^]*charged +6 times for 6 rows/,
    );
    const [, paidBefore, keys = ''] =
      /killed +by SIGKILL {2}3 responses received, ([345]) charges on the invoice\n(.*)\n/.exec(
        stdout,
      ) ?? [];
    expect(keys.includes('requests without a response')).toBe(Number(paidBefore) > 3);
    const batch = Array.from(stdout.matchAll(/^ {2}an? \w+ +succeeded +paid for by (.*)$/gm));
    expect(batch).toHaveLength(6);
    expect(batch.filter(([, payer]) => payer === 'process 1')).toHaveLength(Number(paidBefore));
    const [, invoice = '', next] =
      /Invoice of the gateway.*\n([^]*)What to look at next\n([^]*)$/.exec(stdout) ?? [];
    expect(next).toContain('npm run playground');
    expect(stdout).toContain(`usually    ${Number(paidBefore) + 6} times`);
    const amounts = invoice.match(/^.*\$0\.\d+$/gm) ?? [];
    expect(new Set(amounts.map(({ length }) => length))).toHaveProperty('size', 1);
    const rows = Array.from(invoice.matchAll(/^ {2}(.*?) {2,}\S+ .*\$0\.\d+$/gm), ([, row]) => row);
    expect(rows).toHaveLength(9);
    expect(new Set(rows)).toHaveProperty('size', rows.length);
    expect(invoice.endsWith('\n  Nothing was paid for twice.\n\n')).toBe(true);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('exits cleanly on Ctrl-C and prints the receipt', async ({ expect }) => {
    const run = await runFromSource(example('demo'), { interruptAt: '25%' });
    expect(run).toMatchObject({ code: 130, stderr: '' });
    expect(run.stdout).toMatch(/Stopped\n +class +AbortedError\n[^]*\{"v":1,"kind":"image"/);
  });
});
