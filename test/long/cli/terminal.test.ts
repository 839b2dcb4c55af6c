import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { describe, expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { commandLine, Program } from '../../tools/cli/program.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

const escape = '\u001B';
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

/** Starts a command in a pseudoterminal with the given number of columns. */
const inTerminal = (
  { folder, env }: Service,
  args: readonly string[],
  {
    columns = 80,
    before = '',
    ...more
  }: { columns?: number; before?: string; [name: string]: string | number | undefined } = {},
) => {
  const command = commandLine('polygate', args)
    .map((part) => `'${part}'`)
    .join(' ');
  const shell = `${before}stty cols ${columns}; ${command}`;
  const variables = Object.fromEntries(
    Object.entries(more).map(([name, value]) => [name, String(value)]),
  );
  const terminal = { TERM: 'xterm-256color', ...env, ...variables };
  return new Program(['script', '-qec', shell, '/dev/null'], terminal, folder);
};

/** Every state that a line was drawn in. */
const drawnLines = (output: string) =>
  stripVTControlCharacters(output.replaceAll(new RegExp(`${escape}\\[1G`, 'g'), '\n'))
    .split(/[\r\n]+/)
    .filter((line) => line !== '');

describe.skipIf(!hasScript)('in a terminal', () => {
  test.concurrent.each([80, 120])(
    'image shows status, percent and time in %d columns, and removes the line at the end',
    async (columns) => {
      // The clock advances with each response, so that the command observes the task while it runs, however slow it is.
      const service: Service = await startService({
        clock: 'virtual',
        tasks: { durationMs: 3000 },
        onResponse: () => void service.mock.clock.advance(1000),
      });
      const args = ['image', 'A harbor', '-m', 'prism-image', '-o', 'harbor.svg'];
      const { code, stdout } = await inTerminal(service, args, { columns }).end();
      expect(code).toBe(0);
      const lines = drawnLines(stdout);
      expect(lines.some((line) => /^\S (submitted|queued|running) .*\d+ s$/.test(line))).toBe(true);
      expect(lines.some((line) => /\d+% {2}\d+ s$/.test(line))).toBe(true);
      expect(
        lines.filter((line) => /^\S (running|queued)/.test(line) && line.length > columns),
      ).toEqual([]);
      expect(lines).toContain('harbor.svg');
      // The cursor is visible at the end.
      expect(stdout.lastIndexOf(`${escape}[?25h`)).toBeGreaterThan(
        stdout.lastIndexOf(`${escape}[?25l`),
      );
    },
  );

  test.concurrent('batch shows one bar that fits the terminal, also with NO_COLOR, which removes the colors', async () => {
    for (const [columns, more] of [
      [80, {}],
      [120, {}],
      [80, { NO_COLOR: '1' }],
    ] as const) {
      const service = await startService({ tasks: { durationMs: 1500 } });
      writeFileSync(join(service.folder, 'p.csv'), 'id,prompt\na,A\nb,B\n');
      const args = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1'];
      const { code, stdout } = await inTerminal(service, args, { columns, ...more }).end();
      expect(code).toBe(0);
      const bars = drawnLines(stdout).filter((line) => line.includes(' running, $'));
      expect(bars.length).toBeGreaterThan(0);
      expect(bars.filter((line) => line.length > columns)).toEqual([]);
      expect(bars.some((line) => line.includes('░'))).toBe(true);
      const color = new RegExp(`${escape}\\[3\\dm`);
      if ('NO_COLOR' in more) expect(stdout).not.toMatch(color);
      else expect(stdout).toMatch(color);
    }
  });

  test.concurrent('the bar of a batch fits a terminal whose size changes', async () => {
    const service = await startService({ tasks: { durationMs: 20_000 } });
    writeFileSync(join(service.folder, 'p.csv'), 'id,prompt\na,A\nb,B\n');
    const args = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1'];
    const program = inTerminal(service, args, { columns: 100, before: 'tty; ' });
    const [terminal] = await program.printed(/\/dev\/pts\/\d+/);
    const bars = (output: string) => drawnLines(output).filter((line) => line.includes('░'));
    await eventually(() => expect(bars(program.stdout).at(-1)?.length).toBeGreaterThan(60));
    execFileSync('stty', ['-F', terminal, 'cols', '60']);
    // The first lines after the change may have been drawn before.
    await eventually(() => expect(bars(program.stdout).at(-2)?.length).toBeLessThanOrEqual(60));
    const seen = program.stdout.length;
    const later = () => bars(program.stdout.slice(seen));
    await eventually(() => expect(later().length).toBeGreaterThan(3));
    expect(later().filter((line) => line.length > 60)).toEqual([]);
    await program.end('SIGKILL');
  });

  test.concurrent('errors are red, and neither they nor hints nor help break a word', async () => {
    const service = await startService();
    for (const [args, code] of [
      [['image', 'A', '-m', 'prism-imge', '--base-url', `${service.baseURL}/`], 1],
      [['speech', 'A', '-m', 'echo-speech'], 1],
      [['chat', 'A', '-m', 'aurora-chat', '--resolution', '2K'], 2],
      [['batch', '--help'], 0],
    ] as const) {
      const result = await inTerminal(service, args).end();
      expect([args, result.code]).toEqual([args, code]);
      const lines = stripVTControlCharacters(result.stdout).split('\r\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      if (code !== 0) expect(result.stdout).toContain(`${escape}[31mpolygate ${args[0]}: `);
      else expect(result.stdout).toContain(`${escape}[1mOptions:${escape}[22m`);
      const plain = await inTerminal(service, args, { NO_COLOR: '1' }).end();
      expect(plain.stdout).not.toContain(`${escape}[`);
    }
  });

  test.concurrent('batch asks before it spends more than one dollar', async () => {
    const service = await startService();
    const rows = Array.from({ length: 60 }, (_, index) => `r${index},A`);
    writeFileSync(join(service.folder, 'p.csv'), `id,prompt\n${rows.join('\n')}\n`);
    const args = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '5'];
    const program = inTerminal(service, args);
    await program.printed(/Send 60 images for about \$1\.20\? \[y\/N\]/);
    program.child.stdin?.write('n\r');
    const { code } = await program.end();
    expect([code, service.mock.invoice]).toEqual([1, []]);
  });

  test.concurrent('batch shows each row when it ends, and the reason of a failure once', async () => {
    const service: Service = await startService({
      tasks: { durationMs: 0, outcome: ({ prompt }) => (prompt === 'B' ? 'failed' : 'succeeded') },
    });
    writeFileSync(join(service.folder, 'p.csv'), 'id,prompt\na,A\nb,B\nc,C\n');
    const args = ['batch', 'p.csv', '-m', 'prism-image', '-o', 'out/{id}.{ext}', '--max-usd', '1'];
    const { code, stdout } = await inTerminal(service, args).end();
    expect(code).toBe(1);
    const lines = drawnLines(stdout);
    const rows = lines.filter((line) => /^[abc]: /.test(line)).toSorted();
    expect(rows).toEqual(['a: out/a.svg', expect.stringMatching(/^b: .*failed/), 'c: out/c.svg']);
    expect(lines.slice(-4)).toEqual(
      [
        expect.stringMatching(/^2 succeeded, 1 failed\. /),
        'Files:   out/',
        'Results: p.csv.results.jsonl',
        expect.stringMatching(/^Time: {4}\d+ s$/),
      ].slice(-5),
    );
  });

  test.concurrent('after a wrong key, init asks for the key again', async () => {
    const service = await startService();
    const { POLYGATE_BASE_URL: baseURL = '', POLYGATE_API_KEY: key = '', ...env } = service.env;
    const program = inTerminal({ ...service, env }, ['init', '--base-url', baseURL]);
    await program.printed(/API key \(not shown\): /);
    program.child.stdin?.write('sk-wrong\r');
    await program.printed(/401[^]*API key \(not shown\): /);
    program.child.stdin?.write(`${key}\r`);
    const { code, stdout } = await program.end();
    expect([code, stdout]).toEqual([0, expect.stringContaining('config.json')]);
    expect(stdout).not.toContain('Nothing was written');
    const path = join(service.folder, '.config', 'polygate', 'config.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ baseURL, apiKey: key });
  });

  test.concurrent('init asks for the key without showing it', async () => {
    const service = await startService();
    const { POLYGATE_BASE_URL: baseURL = '', POLYGATE_API_KEY: key = '', ...env } = service.env;
    const program = inTerminal({ ...service, env }, ['init']);
    await program.printed(/Base URL: /);
    program.child.stdin?.write(`${baseURL}\r`);
    await program.printed(/API key \(not shown\): /);
    program.child.stdin?.write(`${key}\r`);
    const { code, stdout } = await program.end();
    expect([code, stdout]).toEqual([0, expect.stringContaining('config.json')]);
    expect(stdout).not.toContain(key);
    const path = join(service.folder, '.config', 'polygate', 'config.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ baseURL, apiKey: key });
  });

  test.concurrent.each([
    ['ftp://gateway.example', 2, 'the base URL must be an https URL'],
    ['http://127.0.0.1:9', 1, 'Could not connect'],
  ])('init refuses the base URL %s before it asks for the key', async (typed, code, problem) => {
    const service = await startService();
    const { POLYGATE_BASE_URL: _, POLYGATE_API_KEY: _key, ...env } = service.env;
    const program = inTerminal({ ...service, env }, ['init']);
    await program.printed(/Base URL: /);
    program.child.stdin?.write(`${typed}\r`);
    const ended = await program.end();
    expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining(problem)]);
    expect(ended.stdout).not.toContain('API key (not shown)');
  });

  test.concurrent('a list of models fits on a screen of 80 columns', async () => {
    const service = await startService();
    const { stdout } = await inTerminal(service, ['models'], { NO_COLOR: '1' }).end();
    const lines = stdout.replaceAll('\r', '').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test.concurrent('a free run of the doctor fits on a screen of 80 columns', async () => {
    const service = await startService();
    const { code, stdout } = await inTerminal(service, ['doctor'], { NO_COLOR: '1' }).end();
    expect(code).toBe(0);
    const lines = stdout.replaceAll('\r', '').trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThan(50);
  });
});
