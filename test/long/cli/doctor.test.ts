import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import type { MockServer } from '../../../src/mock/node/index.ts';
import { formatUsd } from '../../../src/tools/money.ts';
import { runFromSource } from '../../run-from-source.ts';
import { commandLine, Program, run } from '../../tools/cli/program.ts';

const escape = '\u001B';
const servers: MockServer[] = [];

const start = async (options: MockGatewayOptions = {}) => {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, ...options });
  const server = await listen(mock);
  servers.push(server);
  const env = { POLYGATE_BASE_URL: server.baseURL, POLYGATE_API_KEY: mock.apiKey };
  return { mock, env, baseURL: server.baseURL };
};

let ordinary: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  ordinary = await start();
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const doctor = (args: string[], env: Record<string, string> = {}) =>
  run('polygate', ['doctor', ...args], env);

test.concurrent('a service that behaves as assumed exits with 0, and plain text has a line per check', async () => {
  const { code, stdout, stderr } = await doctor([], ordinary.env);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain(escape);
  expect(stdout).toMatch(/^polygate doctor \d.*http:\/\/127.0.0.1:\d+\n\n/);
  const [checks = '', rest = ''] = stdout.split(/\n(?=\nResult)/);
  const lines = checks.split('\n').slice(2);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(line).toMatch(/^(ok {7}|skipped {2})\S.{33} \S/);
  expect(rest).toMatch(/\nResult {2}0 failed, 0 warnings, \d+ ok, 18 skipped\nSpent {3}\$0\.00\n/);
  expect(rest).toMatch(/npx polygate doctor --spend 0\.10\n/);
  expect(checks).toMatch(/\nskipped {2}4 checks .*\nskipped {2}14 checks {26}They cost money /);
  expect(stdout).not.toMatch(/\(A\d+\)|maxSpendUsd/);
});

test.concurrent('--verbose prints every check that was skipped, and the assumptions', async () => {
  const { stdout } = await doctor(['--verbose'], ordinary.env);
  expect(stdout).toMatch(/\nskipped {2}Chat completion .*costs up to \$0\.\d+.*\(chat, A8\)\n/);
  expect(stdout).toContain('\n\nAssumptions that were not tested\n');
});

test.concurrent('--json prints a diagnosis and nothing else', async () => {
  const { code, stdout, stderr } = await doctor(['--json'], ordinary.env);
  expect([code, stderr]).toEqual([0, '']);
  const { ok, spentUsd, checks } = JSON.parse(stdout);
  expect([ok, spentUsd]).toEqual([true, 0]);
  expect(checks[0]).toMatchObject({ id: 'reachable', status: 'ok', detail: expect.any(String) });
});

test.concurrent('--spend runs the paid checks and reports what they cost', async () => {
  const { mock, env } = await start();
  const { code, stdout } = await doctor(['--spend', '0.5'], env);
  const total = mock.invoice.reduce((sum, { usd }) => sum + usd, 0);
  expect([code, total > 0]).toEqual([0, true]);
  expect(stdout).toContain(`\nSpent   ${formatUsd(total)} of at most $0.50\n`);
});

test.concurrent('the printed options can be pasted into a program, which then polls the right path', async () => {
  const { mock, env, baseURL } = await start({ assumptions: { A2: 'images/generations' } });
  const { code, stdout } = await doctor([], env);
  expect([code, stdout.match(/^(warning|failed) /gm)?.length]).toEqual([0, 2]);
  const [snippet] = /^const gateway = new Polygate\(\{\n[^]*?^\}\);$/m.exec(stdout) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'polygate-doctor-'));
  const program = join(folder, 'program.ts');
  const generate = `await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });`;
  await writeFile(program, `import { Polygate } from 'polygate';\n\n${snippet}\n${generate}\n`);
  mock.clearRecords();
  const result = await runFromSource(pathToFileURL(program), { env, cwd: folder });
  await rm(folder, { recursive: true });
  expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  const polls = mock.requests.filter(({ method }) => method === 'GET');
  expect(polls.map(({ path }) => path.replace(/task_.*/, ''))).toEqual(['/v1/images/generations/']);
  expect(baseURL).toBe(env.POLYGATE_BASE_URL);
});

test.concurrent('a service that rejects the key exits with 1, says what to do, and never prints the key', async () => {
  const env = { ...ordinary.env, POLYGATE_API_KEY: 'sk-canary/+"7' };
  for (const args of [[], ['--json']]) {
    const { code, stdout, stderr } = await doctor(args, env);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).not.toContain('canary');
    expect(stdout).toMatch(args.length === 0 ? /\nWhat to do\n\nfailed {3}\S/ : /"ok": false/);
  }
});

test.concurrent('what a service sends is printed without the key and without control characters', async () => {
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.slice('Bearer '.length);
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `${escape}[2JNo ${key}\r\nok`, code: key } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const base = ['--base-url', `http://127.0.0.1:${port}`, '--timeout', '20'];
  const { code, stdout, stderr } = await doctor([...base, '--api-key', 'canary-sk-1']);
  server.close();
  expect([code, stderr]).toEqual([1, '']);
  for (const text of ['canary', escape, '\r']) expect(stdout).not.toContain(text);
  expect(stdout).toContain(
    `npx polygate doctor --base-url http://127.0.0.1:${port} --api-key <key> --timeout 20\n`,
  );
});

test.concurrent.each([
  [[], {}, 'no base URL: set POLYGATE_BASE_URL'],
  [[], { POLYGATE_BASE_URL: 'https://x.example' }, 'no API key: set POLYGATE_API_KEY'],
  [['--api-key', ''], { POLYGATE_BASE_URL: 'https://x.example' }, 'no API key'],
  [['--base-url', 'x'], { POLYGATE_API_KEY: 'sk-a' }, 'must be an https URL'],
  [
    ['--base-url', 'https://u:canary@x.example'],
    { POLYGATE_API_KEY: 'sk-a' },
    'without credentials',
  ],
  [['--base-url', 'localhost:8801'], { POLYGATE_API_KEY: 'sk-a' }, 'or http://localhost:8787'],
  [
    ['--base-url', 'http://x.example:81/api/'],
    { POLYGATE_API_KEY: 'sk-a' },
    'ssh -L 8080:x.example:81 <server>, then --base-url http://localhost:8080/api (',
  ],
  [['--base-url', 'http://x.example'], { POLYGATE_API_KEY: 'sk-a' }, 'unencrypted. Use https, or'],
  [['--api-key', 'sk-canary\n'], { POLYGATE_BASE_URL: 'https://x.example' }, 'apiKey'],
  [['sk-canary'], {}, "Unexpected argument 'sk-…'"],
  [['--spend', '0'], {}, '--spend must be an amount in USD such as 0.10, above 0, at most'],
  [['--spend', '0.0000000001'], {}, 'with at most 9 decimals, not 0.0000000001 ('],
  [['--spend', ''], {}, "with at most 9 decimals, not '' ("],
  [['--timeout', '-'], {}, '--timeout must be a number of seconds above 0, up to 86400, not - ('],
])(
  'polygate doctor %j with %j cannot start: exit code 2 and one line that says why',
  async (args, env, message) => {
    const { code, stdout, stderr } = await doctor(args, env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('canary');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  },
);

test.concurrent('when the output pipe was closed, the run ends without an error message', async () => {
  const { mock, env } = await start();
  const program = new Program(commandLine('polygate', ['doctor', '--spend', '0.1']), env);
  program.child.stdout?.destroy();
  const { code, stderr } = await program.end();
  expect([code, stderr]).toEqual([141, '']);
  expect(mock.invoice).toEqual([]);
});

test.concurrent('a check that was skipped for a reason that passes is in the list of what to do', async () => {
  const { mock, env } = await start();
  mock.fail({ route: 'GET /v1/readiness', status: 429, retryAfter: 30 });
  const { code, stdout } = await doctor(['--spend', '0.1'], env);
  expect(code).toBe(0);
  const [, todo = ''] = stdout.split('What to do\n');
  expect(todo).toMatch(/^\nskipped {2}Readiness of the account: Rate .* 429 .*\n {9}Run doctor/);
  expect(todo).toContain('Next    Run the command again:\n\n  npx polygate doctor --spend 0.10\n');
});

test.concurrent('checks that were skipped for one reason share a line', async () => {
  const { mock, env } = await start();
  mock.fail({ status: 503 });
  const { code, stdout } = await doctor([], env);
  expect(code).toBe(1);
  const [lines = '', rest = ''] = stdout.split('\n\nWhat to do');
  expect(lines.split('\n').slice(2)).toEqual([
    expect.stringMatching(/^failed {3}Gateway /),
    expect.stringMatching(
      /^skipped {2}35 checks {26}The server at \S+ responds with status 503\.$/,
    ),
  ]);
  expect(rest).not.toContain('Assumptions');
  expect(rest).toMatch(/Gateway: The server at .*\n {9}Check that the service runs/);
});

test.concurrent('a wallet that is too small for all paid checks is not reported as a service that works', async () => {
  const { env } = await start({ wallet: { usd: 0.006 } });
  const { code, stdout } = await doctor(['--spend', '0.1'], env);
  expect(code).toBe(0);
  expect(stdout).toContain('Not all checks that cost money ran.');
});

test.concurrent('what lost responses may have cost is in the result', async () => {
  const { mock, env } = await start();
  mock.fail({ route: 'POST /v1/images/generations', status: 500, handled: true, times: 1 });
  const { code, stdout } = await doctor(['--spend', '0.1'], env);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nSpent {3}\$0\.0000\d+ of at most \$0\.10; requests without a known charge may have cost up to \$0\.005 more\n/,
  );
  expect(stdout).toContain('Check the charges in your account.');
  mock.fail({ route: 'POST /v1/images/generations', status: 500, handled: true, times: 1 });
  const { stdout: json } = await doctor(['--spend', '0.1', '--json'], env);
  expect(JSON.parse(json).unconfirmedUsd).toBe(0.005);
});

test.concurrent('a limit that is too small for an image is not reported as a service that works', async () => {
  const { code, stdout } = await doctor(['--spend', '0.001'], ordinary.env);
  expect(code).toBe(0);
  expect(stdout).toContain('Not all checks that cost money ran.');
  expect(stdout).not.toContain('Nothing to do');
});

test.concurrent('--timeout ends the run with exit code 1 and the findings so far', async () => {
  const { mock, env } = await start();
  mock.fail({ route: 'GET /v1/models', stallHeaders: true });
  const { code, stdout } = await doctor(['--timeout', '5'], env);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nok {7}Gateway[^]*The checks did not end within 5 s\.[^]*\nResult {2}0 failed/,
  );
  expect(stdout).toMatch(/Run the command again:\n\n {2}npx polygate doctor --timeout 10\n/);
});

test.concurrent('Ctrl-C ends the run with the findings so far and exit code 130', async () => {
  const { mock, env } = await start();
  mock.fail({ route: 'GET /v1/models', stallHeaders: true });
  const program = new Program(commandLine('polygate', ['doctor']), env);
  await program.printed(/Quota of the API key/);
  const { code, stdout } = await program.end('SIGINT');
  expect(code).toBe(130);
  expect(stdout).toMatch(/\nInterrupted\. Checks that had not ended were skipped\.\n\nResult /);
});

test.concurrent('FORCE_COLOR adds colors to a pipe, but no spinner', async () => {
  const { stdout } = await doctor([], { ...ordinary.env, FORCE_COLOR: '1' });
  expect(stdout).toContain(`${escape}[32m✔${escape}[39m `);
  expect(stdout).not.toContain(`${escape}[?25l`);
});

const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

/** Runs the command in a pseudoterminal with the given number of columns. */
const inTerminal = async (columns: number, env: Record<string, string>) => {
  const command = commandLine('polygate', ['doctor'])
    .map((part) => `'${part}'`)
    .join(' ');
  const shell = `stty cols ${columns}; ${command}`;
  const result = await new Program(['script', '-qec', shell, '/dev/null'], {
    TERM: 'xterm-256color',
    ...env,
  }).end();
  // What is visible at the end: the spinner's line is erased whenever another line is printed.
  const erased = new RegExp(`.*${escape}\\[1G${escape}\\[0K`, 'g');
  const text = stripVTControlCharacters(result.stdout.replaceAll('\r', '').replaceAll(erased, ''));
  return { ...result, text };
};

describe.skipIf(!hasScript)('in a terminal', () => {
  test.concurrent('a terminal gets a spinner, colors, and lines that fit its width', async () => {
    for (const columns of [80, 120]) {
      const { code, stdout, text } = await inTerminal(columns, ordinary.env);
      expect(code).toBe(0);
      expect(stdout).toContain(`${escape}[32m✔${escape}[39m `);
      // The cursor is hidden while the spinner turns, and visible at the end.
      expect(stdout.lastIndexOf(`${escape}[?25h`)).toBeGreaterThan(
        stdout.lastIndexOf(`${escape}[?25l`),
      );
      expect(stdout).toContain(`${escape}[?25l`);
      const lines = text.split('\n');
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      if (columns === 80) expect(lines.some((line) => /^ {37}\S/.test(line))).toBe(true);
      expect(text).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    }
  });

  test.concurrent('in a narrow terminal, details start at the left', async () => {
    const { code, text } = await inTerminal(40, ordinary.env);
    expect(code).toBe(0);
    // The first line has the URL.
    const lines = text.split('\n').slice(1);
    expect(lines.length).toBeLessThan(250);
    expect(lines.filter((line) => /^ {9,}\S/.test(line))).toEqual([]);
    // Only URLs and paths are longer.
    expect(lines.filter((line) => line.length > 40 && line.trim().includes(' '))).toEqual([]);
  });

  test.concurrent('NO_COLOR gives a terminal plain text without a spinner', async () => {
    const { code, stdout } = await inTerminal(80, { ...ordinary.env, NO_COLOR: '1' });
    expect(code).toBe(0);
    expect(stdout).not.toContain(escape);
    expect(stdout).toMatch(/^ok {7}Gateway/m);
  });
});
