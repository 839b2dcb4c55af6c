import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { runIn } from '../../tools/cli/program.ts';
import { afterTests, requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

/** Writes a table with a row for each number. */
const writeTable = ({ folder }: Service, count: number, name = 'prompts.csv') => {
  const rows = Array.from(
    { length: count },
    (_, index) => `r${index + 1},"A harbor, ${index + 1}"`,
  );
  writeFileSync(join(folder, name), `id,prompt\n${rows.join('\n')}\n`);
};

const batch = [
  'batch',
  'prompts.csv',
  '-m',
  'prism-image',
  '-o',
  'out/{id}.{ext}',
  '--max-usd',
  '50',
];

/** The charges, without refunds. */
const charges = ({ invoice }: Service['mock']) => invoice.filter(({ usd }) => usd > 0);

/** Checks that each row was paid for once and has one complete file. */
const expectOncePerRow = ({ mock, folder, lines }: Service, count: number) => {
  expect(charges(mock)).toHaveLength(count);
  expect(new Set(mock.tasks.map(({ prompt }) => prompt)).size).toBe(count);
  const names = readdirSync(join(folder, 'out')).toSorted();
  const expected = Array.from({ length: count }, (_, index) => `r${index + 1}.svg`).toSorted();
  expect(names).toEqual(expected);
  const results = lines('prompts.csv.results.jsonl');
  expect(results.map(({ id }) => id)).toEqual(
    expected
      .map((name) => name.slice(0, -4))
      .toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
  );
  for (const row of results) {
    expect(row).toMatchObject({ status: 'succeeded', files: [`out/${row.id}.svg`], usd: 0.02 });
  }
};

test('200 rows and 50 kills at random points end with one charge and one complete file per row', async () => {
  const service = await startService({ tasks: { durationMs: 300 }, latencyMs: 30 });
  writeTable(service, 200);
  for (let kills = 0; kills < 50; kills += 1) {
    const program = service.start(batch);
    program.child.stdin?.end();
    const before = service.mock.requests.length;
    // Some kills come while the process starts, others in the middle of its work.
    const ended = Promise.race([program.end(), sleep(250 + Math.random() * 1000)]);
    await ended;
    program.child.kill('SIGKILL');
    await program.end();
    expect(service.mock.requests.length).toBeGreaterThanOrEqual(before);
  }
  const { code } = await service.run(batch);
  expect(code).toBe(0);
  expectOncePerRow(service, 200);
  const out = join(service.folder, 'out');
  for (const name of readdirSync(out)) expect(service.read(`out/${name}`)).toMatch(/<\/svg>\s*$/);
  // Running it again does nothing.
  service.mock.clearRecords();
  const again = await service.run([...batch, '--json']);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { succeeded: 200, usd: 4 }]);
  expect(requestsTo(service.mock, 'POST', '/v1')).toEqual([]);
  expect(requestsTo(service.mock, 'GET', '/media')).toEqual([]);
});

test('a 402 in the middle leaves rows open, which the next run pays for', async () => {
  const service = await startService({ wallet: { usd: 0.1 } });
  writeTable(service, 8);
  const { code, stdout, stderr } = await service.run(batch);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/402/)]);
  expect(stdout).toMatch(/^5 succeeded, 0 failed, 3 open\. Charged in all runs: \$0\.10\n/);
  expect(stdout).toMatch(/\nFiles: +out\/\nResults: prompts\.csv\.results\.jsonl\nTime: +\d+ s\n$/);
  expect(stderr.match(/run the same command again/g)).toHaveLength(1);
  service.mock.setBalance(1);
  expect((await service.run(batch)).code).toBe(0);
  expectOncePerRow(service, 8);
});

const canMount = (() => {
  const folder = '/tmp/polygate-mount-test';
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

test.skipIf(!canMount)(
  'on a full disk, the batch stops paying, says what could not be saved, and continues later',
  async () => {
    const service = await startService({ concurrencyLimit: 2 });
    writeTable(service, 40);
    const out = join(service.folder, 'out');
    mkdirSync(out);
    // Results need 4 KB each.
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', out]);
    let isMounted = true;
    const unmount = () => isMounted && execFileSync('umount', ['-l', out]);
    afterTests(() => void unmount());
    const full = await service.run(batch);
    expect([full.code, full.stderr]).toEqual([3, expect.stringMatching(/no space left/i)]);
    const open = service
      .lines('prompts.csv.results.jsonl')
      .filter(({ status }) => status === 'open');
    expect(open.length).toBeGreaterThan(10);
    unmount();
    isMounted = false;
    expect((await service.run(batch)).code).toBe(0);
    expectOncePerRow(service, 40);
  },
);

test('a second process on a journal is refused with the id of the first', async () => {
  const service = await startService({ tasks: { durationMs: 60_000 } });
  writeTable(service, 3);
  const first = service.start(batch);
  first.child.stdin?.end();
  await eventually(() => expect(service.mock.invoice).toHaveLength(3));
  const second = await service.run(batch);
  expect([second.code, second.stdout]).toEqual([2, '']);
  expect(second.stderr).toContain(String(first.child.pid));
  const { code } = await first.end('SIGINT');
  expect(code).toBe(130);
  const results = service.lines('prompts.csv.results.jsonl');
  expect(results.map(({ status }) => status)).toEqual(['open', 'open', 'open']);
  expect(service.mock.invoice).toHaveLength(3);
});

test('a row whose task failed is paid for again only on request', async () => {
  let attempts = 0;
  const service = await startService({
    tasks: { durationMs: 0, outcome: () => ((attempts += 1) === 1 ? 'failed' : 'succeeded') },
  });
  writeTable(service, 2);
  expect((await service.run(batch)).code).toBe(1);
  const second = await service.run(batch);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('done, 1 failed\n')]);
  expect(charges(service.mock)).toHaveLength(2);
  expect((await service.run([...batch, '--retry-failed'])).code).toBe(0);
  expect(charges(service.mock)).toHaveLength(3);
  expect((await service.run([...batch, '--retry-failed'])).code).toBe(0);
  expect(charges(service.mock)).toHaveLength(3);
  const costs = service.lines('prompts.csv.results.jsonl').map(({ usd }) => usd);
  expect(costs).toHaveLength(2);
  expect(costs).toEqual(expect.arrayContaining([0.02, 0.04]));
});

test('files of others are kept, damaged files are saved again, and neither costs anything', async () => {
  const service = await startService();
  writeTable(service, 3);
  mkdirSync(join(service.folder, 'out'));
  writeFileSync(join(service.folder, 'out', 'r2.png'), 'mine');
  const refused = await service.run(batch);
  expect([refused.code, service.mock.invoice]).toEqual([2, []]);
  expect(refused.stderr).toBe(
    'prompts.csv:3: out/r2.png exists; --force replaces it\n' +
      'polygate batch: the table has a problem (see --help)\nNothing was charged.\n',
  );
  writeFileSync(join(service.folder, 'out', 'r3.jpg'), 'mine');
  expect((await service.run(batch)).stderr).toMatch(
    /^\S+:3: out\/r2\.png exists, and so do files of another row; --force replaces them\npolygate/,
  );
  rmSync(join(service.folder, 'out', 'r3.jpg'));
  rmSync(join(service.folder, 'out', 'r2.png'));
  expect((await service.run(batch)).code).toBe(0);
  truncateSync(join(service.folder, 'out', 'r1.svg'), 10);
  rmSync(join(service.folder, 'out', 'r3.svg'));
  expect((await service.run(batch)).code).toBe(0);
  expect(requestsTo(service.mock, 'GET', '/media')).toHaveLength(5);
  expect(statSync(join(service.folder, 'out', 'r1.svg')).size).toBeGreaterThan(100);
  expectOncePerRow(service, 3);
});

test('the limit counts all runs, and an estimate above it sends nothing', async () => {
  const service = await startService();
  writeTable(service, 5);
  const limited = (...more: string[]) => [...batch.slice(0, -2), ...more];
  const none = await service.run(limited());
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining('--max-usd <usd> is required'),
  ]);
  const above = await service.run(limited('--max-usd', '0.05'));
  expect([above.code, above.stderr]).toEqual([
    2,
    expect.stringContaining('$0.05, which covers 2 of 5 rows; --partial sends as many'),
  ]);
  const dry = await service.run(limited('--dry-run', '--json'));
  expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([0, { rows: 5, estimatedUsd: 0.1 }]);
  const part = await service.run(limited('--dry-run', '--json', '--max-usd', '0.05', '--partial'));
  expect([part.stderr, JSON.parse(part.stdout)]).toMatchObject([
    expect.stringMatching(/\nLimit: +\$0\.05 covers 2 of 5 rows, for \$0\.04\n/),
    { covered: 2 },
  ]);
  expect(service.mock.invoice).toEqual([]);
  expect(readdirSync(service.folder).filter((name) => /jsonl/.test(name))).toEqual([]);
  for (let run = 0; run < 2; run += 1) {
    const partial = await service.run(limited('--max-usd', '0.05', '--partial'));
    expect([partial.code, partial.stderr]).toEqual([
      0,
      expect.stringMatching(/--max-usd covers no more: 3 rows not sent\. To send more, raise it/),
    ]);
    expect(partial.stderr).not.toMatch(/^polygate batch:/m);
    expect(service.mock.invoice).toHaveLength(2);
  }
  const json = await service.run(limited('--max-usd', '0.05', '--partial', '--json'));
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([0, { open: 3, reason: 'budget' }]);
  expect((await service.run(limited('--max-usd', '0.1'))).code).toBe(0);
  expectOncePerRow(service, 5);
});

test('the answers of chats go to the results and to a copy of the table, and no chat is sent twice', async () => {
  const service = await startService();
  writeFileSync(join(service.folder, 'q.csv'), 'id;prompt;system\na;"x; y";Be brief\nb;z;\n');
  const args = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1', '--column', 'answer'];
  const { code } = await service.run(args);
  expect(code).toBe(0);
  const [first] = service.lines('q.csv.results.jsonl');
  expect(first).toMatchObject({
    id: 'a',
    status: 'succeeded',
    answer: expect.stringMatching(/^You said: x; y/),
  });
  expect(first.usd).toBeGreaterThan(0);
  expect(service.read('q.answer.csv')).toMatch(
    /^id;prompt;system;answer\na;"x; y";Be brief;"?You said: x; y/,
  );
  expect((await service.run(args)).code).toBe(0);
  expect(requestsTo(service.mock, 'POST', '/v1/chat')).toHaveLength(2);
});

test('a chat whose response was lost is unknown, exits with 3, and is never sent again by itself', async () => {
  const service = await startService();
  writeFileSync(join(service.folder, 'q.csv'), 'id,prompt\na,x\nb,y\n');
  service.mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
  const args = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1'];
  for (let run = 0; run < 2; run += 1) {
    expect((await service.run(args)).code).toBe(3);
    const statuses = service.lines('q.csv.results.jsonl').map(({ status }) => status);
    expect(statuses).toHaveLength(2);
    expect(statuses).toEqual(expect.arrayContaining(['succeeded', 'unknown']));
  }
  expect(service.mock.invoice).toHaveLength(2);
});

test('5,000 rows run in a small heap', async () => {
  const service = await startService({ concurrencyLimit: 500 });
  writeTable(service, 5000);
  const program = service.start(
    [
      'batch',
      'prompts.csv',
      '-m',
      'prism-sketch',
      '-o',
      'out/{id}.{ext}',
      '--max-usd',
      '50',
      '--json',
    ],
    {
      NODE_OPTIONS: '--max-old-space-size=96',
    },
  );
  program.child.stdin?.end();
  const { code, stdout } = await program.end();
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { succeeded: 5000 }]);
  expect(service.mock.invoice).toHaveLength(5000);
}, 600_000);

test('no file of a batch contains the API key', async () => {
  const service = await startService({ keys: [{ key: 'sk-canary-0123456789' }] });
  writeTable(service, 2);
  const { code, stdout, stderr } = await runIn(service.folder, batch, service.env);
  expect(code).toBe(0);
  const names = readdirSync(service.folder).filter((name) => name.startsWith('prompts'));
  for (const text of [stdout, stderr, ...names.map((name) => service.read(name))]) {
    expect(text).not.toContain('canary');
  }
});
