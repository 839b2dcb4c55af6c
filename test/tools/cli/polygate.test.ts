import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { stripVTControlCharacters } from 'node:util';

import { expect, test } from 'vitest';

import manifest from '../../../package.json' with { type: 'json' };
import { commandOptions, serviceOptions } from '../../../src/tools/cli/command-options.ts';
import { helpOf, programHelp } from '../../../src/tools/cli/help.ts';
import { commandLine, Program, run, startMock } from './program.ts';

test.concurrent.each([
  [[], /^Tools for the polygate client[^]*\nGenerate:\n {2}chat [^]*\n {2}doctor [^]*\n {2}mock /],
  [['help'], /^Tools for the polygate client/],
  [['-h'], /^Tools for the polygate client/],
  [['--version'], new RegExp(`^${manifest.version}\\n$`)],
  [['doctor', '--version'], new RegExp(`^${manifest.version}\\n$`)],
  [['mock', '--version'], new RegExp(`^${manifest.version}\\n$`)],
  [['help', 'doctor'], /^Checks [^]*?\n\nUsage: npx polygate doctor/],
  [['doctor', '--help'], /--spend.*--timeout.*--json.*--base-url.*--api-key.*Exit codes/s],
  [['mock', '--help'], /npx polygate mock .*--wallet.*--fail.*--assume.*--cors.*--state/s],
])('polygate %j prints its help or version', async (args, text) => {
  const stdout = expect.stringMatching(text);
  expect(await run('polygate', args)).toEqual({ code: 0, stdout, stderr: '' });
});

test.concurrent.each([
  [['doktor'], 'polygate: unknown command doktor; did you mean doctor? (see --help)\n'],
  [['x'], 'polygate: unknown command x (see --help)\n'],
  [['--versoin'], 'polygate: unknown option --versoin; did you mean --version? (see --help)\n'],
  [['sk-secret'], 'polygate: unknown command sk-… (see --help)\n'],
  [
    ['doctor', '--jsom'],
    'polygate doctor: unknown option --jsom; did you mean --json? (see --help)\n',
  ],
  [
    ['mock', '--ports=1'],
    'polygate mock: unknown option --ports; did you mean --port? (see --help)\n',
  ],
])('polygate %j suggests the nearest name', async (args, stderr) => {
  expect(await run('polygate', args)).toEqual({ code: 2, stdout: '', stderr });
});

test('the doctor ends quietly when what reads its output has ended', async () => {
  const gateway = await startMock();
  const args = ['doctor', '--base-url', gateway.baseURL, '--api-key', 'sk-mock-demo'];
  const doctor = new Program(commandLine('polygate', args));
  await doctor.printed(/polygate doctor/);
  doctor.child.stdout?.destroy();
  expect(await doctor.end()).toMatchObject({ code: 141, stderr: '' });
  await gateway.program.end('SIGINT');
});

test('the doctor fails at a service that accepts connections and never responds', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = ['--base-url', `http://127.0.0.1:${port}`, '--api-key', 'sk-mock-demo'];
  const { code, stdout } = await run('polygate', ['doctor', ...address, '--timeout=1', '--json']);
  server.close();
  const { ok, checks } = JSON.parse(stdout);
  expect([code, ok]).toEqual([1, false]);
  expect(checks[0]).toMatchObject({
    id: 'reachable',
    status: 'failed',
    detail: 'The run timed out while this check waited for GET /v1/status.',
  });
});

test('every line of every help text fits in 80 columns, and the help names every command and option', async () => {
  const help = programHelp();
  for (const [name, options] of Object.entries(commandOptions)) {
    expect(help).toContain(`\n  ${name} `);
    const { stdout } = await run('polygate', [name, '--help']);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    for (const option of Object.keys(options)) {
      expect([name, stdout]).toEqual([name, expect.stringMatching(`\n  (-., )?--${option}\\b`)]);
    }
  }
});

test('what applies without an option is in its help', () => {
  const plain = { color: false, width: 80 };
  const text = { about: 'A', usage: ['B'] };
  expect(helpOf('doctor', text, plain)).toMatch(/--timeout <seconds>.*\(default: 120\)/);
  const { 'base-url': url } = serviceOptions;
  expect(helpOf('balance', text, { color: false, width: 200 })).toContain(
    `${url.help} (default: ${url.env}, then ${url.otherwise})`,
  );
});

test('the help of a terminal has bold headings, and fits a narrow one', () => {
  const help = helpOf('mock', { about: 'A', usage: ['B'] }, { color: true, width: 50 });
  expect(help).toContain('\u001B[1mOptions:\u001B[22m\n');
  const lines = stripVTControlCharacters(help).split('\n');
  expect(lines.filter((line) => line.length > 50)).toEqual([]);
});
