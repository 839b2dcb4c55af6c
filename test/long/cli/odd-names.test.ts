import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

const image = ['image', 'A harbor', '-m', 'prism-image'];
const batch = ['batch', 'rows.csv', '-m', 'prism-image', '-o', 'out/{id}.{ext}', '--max-usd', '1'];
const sent = ({ mock }: Service) => requestsTo(mock, 'POST', '/v1/images').length;

test.concurrent('ids that are no name on Windows keep their rows, and their files get encoded names', async () => {
  const { mock, run, folder, lines } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'id,prompt\nCON,a\na:b,b\na?b,c\n');
  expect(await run(batch)).toMatchObject({ code: 0 });
  const names = ['%43ON.svg', 'a%3Ab.svg', 'a%3Fb.svg'];
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(names);
  expect(lines('rows.csv.results.jsonl').map(({ id }) => id)).toEqual(['CON', 'a:b', 'a?b']);
  expect(await run(batch)).toMatchObject({ code: 0 });
  expect(mock.invoice).toHaveLength(3);
});

test.concurrent('files that an earlier version saved under the plain id are those of their rows', async () => {
  const { mock, run, folder, lines } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'id,prompt\na:b,b\nc:d,d\n');
  expect(await run(batch)).toMatchObject({ code: 0 });
  // One row has ended; the process was killed while it saved the other.
  const record = join(folder, 'rows.csv.polygate.jsonl.files');
  const entries = readFileSync(record, 'utf8').replaceAll('%3A', ':').split('\n');
  const isEnd = (line: string) => line.includes('"id":"c:d"') && line.includes('"files"');
  writeFileSync(record, entries.filter((line) => !isEnd(line)).join('\n'));
  for (const id of ['a:b', 'c:d']) {
    const encoded = join(folder, 'out', `${id.replace(':', '%3A')}.svg`);
    renameSync(encoded, join(folder, 'out', `${id}.svg`));
  }
  expect(await run(batch)).toMatchObject({ code: 0 });
  expect(lines('rows.csv.results.jsonl').flatMap(({ files }) => files)).toEqual([
    'out/a:b.svg',
    'out/c:d.svg',
  ]);
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(['a:b.svg', 'c:d.svg']);
  expect(mock.invoice).toHaveLength(2);
});

test.concurrent('without its journal, a batch does not pay again for a file under the plain id', async () => {
  const service = await startService();
  const { run, folder } = service;
  writeFileSync(join(folder, 'rows.csv'), 'id,prompt\na:b,b\n');
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out', 'a:b.svg'), '');
  const { code, stderr } = await run(batch);
  expect([code, stderr]).toEqual([2, expect.stringContaining('out/a:b.svg exists')]);
  expect(sent(service)).toBe(0);
});

test.concurrent.each([
  ['the id of a row', batch, 'é'.repeat(150)],
  ['a folder in the id of a row', batch, `${'é'.repeat(150)}/a`],
  ['-o', [...image, '-o', `${'x'.repeat(300)}.svg`], 'a'],
  ['-o with the id of a task', [...image, '-o', `${'x'.repeat(200)}-{id}.svg`], 'a'],
])('a name that is too long is refused before anything is sent: %s', async (_, args, id) => {
  const service = await startService();
  writeFileSync(join(service.folder, 'rows.csv'), `id,prompt\n${id},a\n`);
  const { code, stderr } = await service.run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining('too long for the name of a file')]);
  expect(sent(service)).toBe(0);
});

test.concurrent.each([
  ['XDG_STATE_HOME', image],
  ['XDG_CONFIG_HOME', ['init']],
])('a home that cannot be written names %s', async (variable, args) => {
  const service = await startService();
  const { start, folder, mock, baseURL } = service;
  const home = join(folder, 'home');
  // A file, in which even the administrator can create nothing.
  writeFileSync(home, '');
  const program = start([...args, '--base-url', baseURL, '--api-key', mock.apiKey], {
    HOME: home,
    [variable]: '',
  });
  program.child.stdin?.end();
  const { code, stderr } = await program.end();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`set ${variable} to a folder`)]);
  expect(sent(service)).toBe(0);
});

test.concurrent('a lock from before a restart is waited for, and the command says so', async () => {
  const { run, folder, mock } = await startService();
  writeFileSync(join(folder, 'rows.csv'), 'id,prompt\na,a\n');
  const lock = join(folder, `rows.csv.polygate.jsonl.${crypto.randomUUID()}.lock`);
  const claim = { pid: 1, host: 'another boot pid:[1]', isHeld: true, beat: 1 };
  writeFileSync(lock, JSON.stringify(claim));
  const { code, stderr } = await run(batch);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Another run may be using this/)]);
  expect(mock.invoice).toHaveLength(1);
  expect(existsSync(lock)).toBe(false);
});
