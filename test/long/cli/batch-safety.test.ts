import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { runIn } from '../../tools/cli/program.ts';
import { lastLine, requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

const batch = ['batch', 'p.csv', '-m', 'prism-image', '-o', 'out/{id}.{ext}', '--max-usd', '1'];

const writeTable = ({ folder }: Service, ids: readonly string[], name = 'p.csv') => {
  const rows = ids.map((id) => `${id},A harbor ${id}\n`);
  writeFileSync(join(folder, name), `id,prompt\n${rows.join('')}`);
};

/** Runs a command in the folder of a service, with other settings. */
const runWith = (service: Service, args: readonly string[], env: Record<string, string>) =>
  runIn(service.folder, args, { ...service.env, ...env });

const keys = [
  { key: 'sk-first-0123456', user: 'first' },
  { key: 'sk-second-012345', user: 'second' },
  { key: 'sk-rotated-01234', user: 'first' },
];
const [firstKey, secondKey, rotatedKey] = keys.map(({ key }) => ({ POLYGATE_API_KEY: key }));

/** Leaves a batch of two rows whose responses were lost, so that their outcomes are unknown. */
const leaveUnknown = async () => {
  const service = await startService({ keys });
  writeTable(service, ['a', 'b']);
  service.mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true });
  const program = service.start(batch, firstKey);
  program.child.stdin?.end();
  await eventually(() => expect(service.mock.invoice).toHaveLength(2));
  await program.end('SIGKILL');
  service.mock.clearFaults();
  service.mock.clearRecords();
  return service;
};

/** All requests that cost something or concern a task. */
const taskRequests = ({ mock }: Service) =>
  mock.requests.filter(({ path, method }) => method === 'POST' || path.includes('/tasks/'));

test.concurrent('rows that may have been charged are not sent with another API key, or to another service', async () => {
  const service = await leaveUnknown();
  const other = await startService({ keys });
  const changed = await runWith(service, batch, secondKey ?? {});
  expect([changed.code, changed.stdout]).toEqual([2, '']);
  expect(changed.stderr).toContain('2 rows of the journal were sent with another API key');
  const moved = await runWith(service, batch, { ...firstKey, POLYGATE_BASE_URL: other.baseURL });
  expect([moved.code, moved.stdout]).toEqual([2, '']);
  expect(moved.stderr).toContain(`were sent to ${service.baseURL}`);
  for (const { stderr } of [changed, moved]) expect(stderr).not.toContain('Nothing was charged');
  expect([taskRequests(service), taskRequests(other)]).toEqual([[], []]);
  expect(existsSync(join(service.folder, 'p.csv.results.jsonl'))).toBe(false);
  // With the first key, they are replayed.
  expect((await runWith(service, batch, firstKey ?? {})).code).toBe(0);
  expect(service.mock.invoice).toEqual([]);
  expect(service.lines('p.csv.results.jsonl')).toMatchObject([
    { status: 'succeeded', usd: 0.02 },
    { status: 'succeeded', usd: 0.02 },
  ]);
});

test.concurrent('a run that sends nothing does not say that nothing was charged, after a run that may have been', async () => {
  const service = await leaveUnknown();
  const wrongKey = { POLYGATE_API_KEY: 'sk-wrong-0123456' };
  const runs = [
    await runWith(service, [...batch, '--same-account'], wrongKey),
    await runWith(service, [...batch.slice(0, -1), '0.01'], firstKey ?? {}),
  ];
  expect(runs.map(({ code }) => code)).toEqual([1, 2]);
  for (const { stderr } of runs) expect(stderr).not.toContain('Nothing was charged');
});

test.concurrent('another API key of the same account continues on request, and is not charged again', async () => {
  const service = await leaveUnknown();
  expect((await runWith(service, batch, rotatedKey ?? {})).code).toBe(2);
  const { code, stdout } = await runWith(service, [...batch, '--same-account'], rotatedKey ?? {});
  expect([code, stdout]).toEqual([0, expect.stringContaining('Charged in all runs: $0.04\n')]);
  expect(service.mock.invoice).toEqual([]);
  // From now on, this key belongs to the journal.
  expect((await runWith(service, batch, rotatedKey ?? {})).code).toBe(0);
});

test.concurrent('another name of this machine is the same service, and is not charged again', async () => {
  const service = await leaveUnknown();
  const localhost = service.baseURL.replace('127.0.0.1', 'localhost');
  const renamed = { ...firstKey, POLYGATE_BASE_URL: localhost };
  expect((await runWith(service, batch, renamed)).code).toBe(0);
  expect(service.mock.invoice).toEqual([]);
  // Both names continue.
  expect((await runWith(service, batch, firstKey ?? {})).code).toBe(0);
  expect((await runWith(service, batch, renamed)).code).toBe(0);
  expect(service.mock.invoice).toEqual([]);
});

test.concurrent('a task with a receipt is not fetched from another service', async () => {
  const service = await startService({ tasks: { durationMs: 60_000 } });
  writeTable(service, ['a']);
  const program = service.start(batch);
  program.child.stdin?.end();
  const hasReceipt = () => expect(service.read('p.csv.polygate.jsonl')).toContain('"accepted"');
  await eventually(hasReceipt);
  await program.end('SIGKILL');
  const other = await startService();
  const moved = await runWith(service, batch, { POLYGATE_BASE_URL: other.baseURL });
  expect([moved.code, taskRequests(other)]).toEqual([2, []]);
});

test.concurrent('a journal that does not say where its rows were sent continues only on request', async () => {
  const service = await leaveUnknown();
  rmSync(join(service.folder, 'p.csv.polygate.jsonl.files'));
  const refused = await runWith(service, batch, firstKey ?? {});
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--same-account')]);
  expect(taskRequests(service)).toEqual([]);
  expect((await runWith(service, [...batch, '--same-account'], firstKey ?? {})).code).toBe(0);
  expect(service.mock.invoice).toEqual([]);
});

test.concurrent('a wrong base URL that has charged nothing does not bind a journal', async () => {
  const service = await startService();
  const wrong = await startService({ wallet: { usd: 0 } });
  writeTable(service, ['a']);
  const first = await runWith(service, batch, { POLYGATE_BASE_URL: wrong.baseURL });
  expect([first.code, wrong.mock.invoice]).toEqual([1, []]);
  expect((await service.run(batch)).code).toBe(0);
  expect(service.mock.invoice).toHaveLength(1);
});

test.concurrent('results and the copy of the table never replace files that the batch did not write', async () => {
  const service = await startService();
  writeFileSync(join(service.folder, 'q.csv'), 'id,prompt\na,x\n');
  const chats = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1'];
  expect((await service.run(chats)).code).toBe(0);
  writeFileSync(join(service.folder, 'notes.txt'), 'mine');
  writeFileSync(join(service.folder, 'q.notes.csv'), 'mine');
  for (const more of [
    ['--results', 'notes.txt'],
    ['--column', 'notes'],
  ]) {
    const { code, stderr } = await service.run([...chats, ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('this batch did not write it')]);
  }
  expect([service.read('notes.txt'), service.read('q.notes.csv')]).toEqual(['mine', 'mine']);
  // Its own files are replaced, and others only with --force.
  expect((await service.run([...chats, '--column', 'answer'])).code).toBe(0);
  expect((await service.run([...chats, '--column', 'answer'])).code).toBe(0);
  expect((await service.run([...chats, '--column', 'notes', '--force'])).code).toBe(0);
  expect(service.read('q.notes.csv')).toMatch(/^id,prompt,notes\n/);
  expect(requestsTo(service.mock, 'POST', '/v1/chat')).toHaveLength(1);
});

test.concurrent('files of the same name in another folder are not those of the batch', async () => {
  const service = await startService();
  writeTable(service, ['a']);
  expect((await service.run(batch)).code).toBe(0);
  const elsewhere = join(service.folder, 'elsewhere');
  mkdirSync(join(elsewhere, 'out'), { recursive: true });
  writeFileSync(join(elsewhere, 'out', 'a.svg'), 'mine');
  const args = batch.map((part) => (part === 'p.csv' ? '../p.csv' : part));
  const { code, stderr } = await runIn(elsewhere, args, service.env);
  expect([code, stderr]).toEqual([2, expect.stringContaining('out/a.svg exists')]);
  expect(service.read('elsewhere/out/a.svg')).toBe('mine');
  // The journal names the same files wherever the command runs.
  const same = args.map((part) => (part.startsWith('out/') ? `../${part}` : part));
  expect((await runIn(elsewhere, same, service.env)).code).toBe(0);
  expect(service.lines('p.csv.results.jsonl')).toMatchObject([{ files: ['../out/a.svg'] }]);
  expect(requestsTo(service.mock, 'GET', '/media')).toHaveLength(1);
});

test.concurrent('rows that have left the table still count in the estimate, the limit and the total', async () => {
  const service = await startService();
  writeTable(service, ['a', 'b', 'c']);
  expect((await service.run(batch)).code).toBe(0);
  writeTable(service, ['c', 'd']);
  const limited = (usd: string) => [...batch.slice(0, -1), usd];
  const above = await service.run(limited('0.07'));
  expect([above.code, above.stderr]).toEqual([2, expect.stringContaining('--max-usd $0.07')]);
  expect(above.stderr).toContain('$0.02 besides what was charged before: $0.06');
  const { code, stdout } = await service.run(limited('0.08'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('Charged in all runs: $0.08\n')]);
  expect(service.mock.invoice).toHaveLength(4);
});

test.concurrent('rows that an earlier run may have paid for, and that this one has not reached, are unknown', async () => {
  const service = await startService({ concurrencyLimit: 1 });
  writeTable(service, ['a', 'b']);
  const limited = [...batch.slice(0, -1), '0.02', '--partial'];
  service.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const lost = await service.run(limited);
  expect([lost.code, lost.stdout]).toEqual([3, expect.stringContaining('1 unknown, 1 open')]);
  expect(lost.stderr).toMatch(/Raise --max-usd, then run the same command again\.\n/);
  expect(lost.stderr).not.toMatch(/error\.|not yielded|maxUsd/);
  service.mock.clearFaults();
  service.mock.fail({ route: 'POST /v1/images/tasks', status: 402 });
  service.mock.clearRecords();
  const { code, stdout } = await service.run(limited);
  expect([code, stdout]).toEqual([3, expect.stringContaining('1 unknown, 1 open')]);
  expect(service.mock.invoice).toEqual([]);
});

test.concurrent('a lost chat is in the total as a possible charge, and --resend-unknown sends it again', async () => {
  const service = await startService();
  writeFileSync(join(service.folder, 'q.csv'), 'id,prompt\na,x\n');
  const chats = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1'];
  service.mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
  const lost = await service.run(chats);
  expect(lost.code).toBe(3);
  expect(lost.stdout).toContain('Charged in all runs: at least $0.00; 1 row may have been charged');
  // The same command would not help.
  expect(lastLine(lost.stderr)).toMatch(/^--resend-unknown sends .* can be charged twice\.$/);
  const known = await service.run(chats);
  expect([known.code, known.stderr]).toEqual([3, expect.stringContaining('With --resend-unknown')]);
  expect(known.stderr).toMatch(/^a: An earlier run sent this chat/m);
  const again = await service.run([...chats, '--resend-unknown', '--json']);
  expect(again.code).toBe(0);
  expect(service.mock.invoice).toHaveLength(2);
  const [, second] = service.mock.invoice;
  expect(JSON.parse(again.stdout)).toMatchObject({
    succeeded: 1,
    usd: second?.usd,
    uncertainRows: 1,
  });
  expect(service.lines('q.csv.results.jsonl')).toMatchObject([{ status: 'succeeded' }]);
});

test.concurrent.each([
  [['--journal', 'notes.txt'], 'it is no journal'],
  [['--results', 'folder'], 'folder is a folder'],
  [['-o', 'p.csv', '--force'], 'would replace p.csv'],
  [['-o', 'p.csv.results.{ext}', '--force'], 'would replace p.csv.results.jsonl'],
  [['-o', 'folder', '--force'], 'its file folder is a folder'],
  [['--column', '../a'], '--column must be'],
  [['--results', 'device', '--force'], 'device is not a regular file'],
])('batch with %j exits with 2, and neither sends nor writes anything', async (more, message) => {
  const service = await startService();
  writeTable(service, ['a']);
  writeFileSync(join(service.folder, 'notes.txt'), 'my notes\n');
  mkdirSync(join(service.folder, 'folder'));
  symlinkSync('/dev/null', join(service.folder, 'device'));
  const before = readdirSync(service.folder).toSorted();
  const args = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1', ...more];
  const { code, stdout, stderr } = await service.run(args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  expect([requestsTo(service.mock, 'POST', '/v1'), readdirSync(service.folder).toSorted()]).toEqual(
    [[], before],
  );
  expect(service.read('notes.txt')).toBe('my notes\n');
});

test.concurrent('when the balance is used up, what earlier rows have paid for is still delivered', async () => {
  const service = await startService({ concurrencyLimit: 1 });
  writeFileSync(join(service.folder, 'q.csv'), 'id,prompt\nc,C\nd,D\n');
  const chats = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1', '--column', 'answer'];
  expect((await service.run(chats)).code).toBe(0);
  writeTable(service, ['c']);
  service.mock.fail({ route: 'GET /v1/images/tasks/{id}', stallHeaders: true });
  const image = service.start(batch);
  image.child.stdin?.end();
  const hasReceipt = () => expect(service.read('p.csv.polygate.jsonl')).toContain('"accepted"');
  await eventually(hasReceipt);
  await image.end('SIGKILL');
  service.mock.clearFaults();
  for (const path of ['chat/completions', 'images/tasks']) {
    service.mock.fail({ route: `POST /v1/${path}`, status: 402 });
  }
  const added = Array.from({ length: 60 }, (_, index) => `r${index}`);
  const lines = added.map((id) => `${id},A\n`).join('');
  writeFileSync(join(service.folder, 'q.csv'), `id,prompt\n${lines}c,C\nd,D\n`);
  writeTable(service, [...added, 'c']);
  const large = [...batch.slice(0, -1), '2'];
  for (const args of [chats, large]) expect((await service.run(args)).code).toBe(1);
  const succeeded = (path: string) =>
    service.lines(path).flatMap(({ id, status }) => (status === 'succeeded' ? [id] : []));
  expect(succeeded('q.csv.results.jsonl')).toEqual(['c', 'd']);
  expect(service.read('q.answer.csv')).toMatch(/\nr59,A,\nc,C,.+\nd,D,.+\n$/);
  expect(succeeded('p.csv.results.jsonl')).toEqual(['c']);
  expect(service.read('out/c.svg')).toContain('<svg');
});

test.concurrent('answers that were cut off at the token limit are named', async () => {
  const service = await startService();
  writeFileSync(join(service.folder, 'q.csv'), 'id,prompt,max_tokens\na,x,2\nb,y,\n');
  const args = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1'];
  const { code, stderr } = await service.run(args);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/cut off at the token limit.*: a\n/)]);
  const results = service.lines('q.csv.results.jsonl');
  expect(results.map(({ finishReason }) => finishReason)).toEqual(['length', undefined]);
});
