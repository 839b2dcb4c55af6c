import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { commandLine, Program } from '../../tools/cli/program.ts';
import { requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

const batch = ['batch', 'p.csv', '-m', 'prism-image', '-o', 'out/{id}.{ext}', '--max-usd', '1'];

const write = ({ folder }: Service, text: string, name = 'p.csv') => {
  writeFileSync(join(folder, name), text);
};

/** Runs a command with redirections of a shell. */
const runInShell = ({ folder, env }: Service, args: readonly string[], redirections: string) => {
  const command = commandLine('polygate', args)
    .map((part) => `'${part}'`)
    .join(' ');
  const program = new Program(['sh', '-c', `${command} ${redirections}`], env, folder);
  program.child.stdin?.end();
  return program.end();
};

test.concurrent('a batch that is run again says what earlier runs have done, and that it charged nothing', async () => {
  const service = await startService();
  write(service, 'id,prompt\na,A\nb,B\n');
  const first = await service.run(batch);
  expect(first.stderr).toMatch(/^Rows: +2 \(image\), 0 of them done\n/);
  expect(first.stderr).not.toContain('charged nothing');
  rmSync(join(service.folder, 'out', 'a.svg'));
  const second = await service.run(batch);
  expect(second.stderr).toContain('1 of them done, 1 done earlier and to be saved again\n');
  expect(second.stderr).toContain('This run had nothing to pay for, and was charged nothing.\n');
  const third = await service.run(batch);
  expect(third.stderr).toMatch(/^Rows: +2 \(image\), all of them done by earlier runs\n/);
  expect(third.stderr).toMatch(/\nEarlier runs finished all rows\. .* was charged nothing\.\n$/);
  expect(service.mock.invoice).toHaveLength(2);
});

test.concurrent('a table with many problems names the first five', async () => {
  const service = await startService();
  const rows = Array.from({ length: 60 }, (_, index) => `r${index},\n`);
  write(service, `id,prompt\n${rows.join('')}`);
  const { code, stderr } = await service.run(batch);
  const named = [2, 3, 4, 5, 6].map((line) => `p.csv:${line}: has no prompt\n`).join('');
  expect([code, stderr]).toEqual([
    2,
    `${named}and 55 more problems\npolygate batch: the table has problems (see --help)\nNothing was charged.\n`,
  ]);
});

test.concurrent('a table from stdin continues from its journal', async () => {
  const service = await startService();
  const args = [
    'batch',
    '-',
    '--journal',
    'j.jsonl',
    '--format',
    'csv',
    '-m',
    'prism-image',
    '--max-usd',
    '1',
  ];
  const table = 'id,prompt\na,A\nb,B\n';
  expect((await service.run(args, table)).code).toBe(0);
  expect((await service.run(args, table)).code).toBe(0);
  expect(service.mock.invoice).toHaveLength(2);
  expect(service.lines('j.jsonl.results.jsonl')).toHaveLength(2);
});

test.concurrent('if one file of a row is missing and its result has expired, the others are kept', async () => {
  const service = await startService();
  write(service, 'id,prompt,n\na,A,3\n');
  expect((await service.run(batch)).code).toBe(0);
  const files = ['out/a.svg', 'out/a-2.svg', 'out/a-3.svg'];
  const [first, second, third] = files.map((path) => service.read(path));
  rmSync(join(service.folder, 'out/a-2.svg'));
  truncateSync(join(service.folder, 'out/a-3.svg'), 10);
  service.mock.fail({ route: 'GET /media/{task}/{file}', status: 404 });
  expect((await service.run(batch)).code).toBe(3);
  expect(service.read('out/a.svg')).toBe(first);
  expect(readdirSync(join(service.folder, 'out')).toSorted()).toEqual(['a-3.svg', 'a.svg']);
  // Only what is missing or damaged is fetched again.
  service.mock.clearFaults();
  service.mock.clearRecords();
  expect((await service.run(batch)).code).toBe(0);
  expect(files.map((path) => service.read(path))).toEqual([first, second, third]);
  expect(service.lines('p.csv.results.jsonl')).toMatchObject([{ files }]);
  expect([requestsTo(service.mock, 'GET', '/media').length, service.mock.invoice]).toEqual([2, []]);
});

test.concurrent('a list of files that names one outside the folder removes nothing', async () => {
  const service = await startService();
  write(service, 'id,prompt\na,A\n');
  expect((await service.run(batch)).code).toBe(0);
  write(service, 'mine', 'mine.svg');
  const record = 'p.csv.polygate.jsonl.files';
  write(
    service,
    service.read(record).replace(/"out\/a\.svg","bytes":/, '"mine.svg","bytes":9'),
    record,
  );
  expect((await service.run(batch)).code).toBe(2);
  expect([service.read('mine.svg'), service.mock.invoice.length]).toEqual(['mine', 1]);
});

test.concurrent('results that appear during a run are not replaced', async () => {
  const service = await startService({ tasks: { durationMs: 1000 } });
  write(service, 'id,prompt\na,A\n');
  const program = service.start(batch);
  program.child.stdin?.end();
  await eventually(() => expect(service.mock.invoice).toHaveLength(1));
  write(service, 'mine', 'p.csv.results.jsonl');
  const { code, stderr } = await program.end();
  expect([code, stderr]).toEqual([3, expect.stringContaining('this batch did not write it')]);
  expect(service.read('p.csv.results.jsonl')).toBe('mine');
});

test
  .skipIf(!existsSync('/dev/fd'))
  .concurrent(
    'a folder that takes no files is refused before anything is paid for, whoever runs the command',
    async () => {
      const service = await startService();
      write(service, 'id,prompt\na,A\n');
      const args = ['batch', '/dev/fd/3', '--format', 'csv', '--journal', 'j', ...batch.slice(2)];
      const { code, stderr } = await runInShell(service, args, '3< p.csv');
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot write to the folder')]);
      expect(service.mock.invoice).toEqual([]);
      mkdirSync(join(service.folder, 'results'));
      const results = ['--results', 'results/r.jsonl'];
      expect((await runInShell(service, [...args, ...results], '3< p.csv')).code).toBe(0);
      expect(readdirSync(join(service.folder, 'results'))).toEqual(['r.jsonl']);
    },
  );

test
  .skipIf(!existsSync('/dev/full'))
  .concurrent('messages that cannot be printed end no command', async () => {
    const service = await startService();
    write(service, 'id,prompt\na,A\n');
    const image = ['image', 'A harbor', '-m', 'prism-image', '-o', 'b.svg'];
    const [first, second] = await Promise.all(
      [batch, image].map((args) => runInShell(service, args, '2> /dev/full')),
    );
    expect([first, second]).toMatchObject([{ code: 0 }, { code: 0, stdout: 'b.svg\n' }]);
    expect(readdirSync(join(service.folder, 'out'))).toEqual(['a.svg']);
  });

test.concurrent.each(['SIGINT', 'SIGTERM'] as const)(
  'one %s ends a batch that still waits for its table or for the models, and leaves no lock',
  async (signal) => {
    const service = await startService();
    write(service, 'id,prompt\na,A\n');
    const hasLock = () =>
      expect(readdirSync(service.folder).some((name) => name.endsWith('.lock'))).toBe(true);
    service.mock.fail({ route: 'GET /v1/models', stallHeaders: true });
    const byModels = service.start(batch);
    byModels.child.stdin?.end();
    await eventually(() => expect(service.mock.requests).toHaveLength(1));
    const expected = {
      code: signal === 'SIGINT' ? 130 : 143,
      stderr: 'Interrupted. Nothing was sent.\n',
    };
    expect(await byModels.end(signal)).toMatchObject(expected);
    expect(readdirSync(service.folder)).toEqual(['p.csv']);
    const byTable = service.start(['batch', '-', '--journal', 'j', ...batch.slice(2)]);
    await eventually(hasLock);
    expect(await byTable.end(signal)).toMatchObject(expected);
  },
);
