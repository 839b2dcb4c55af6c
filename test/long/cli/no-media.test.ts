import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Fault } from '../../../src/mock/index.ts';
import { eventually } from '../../support/eventually.ts';
import { lastLine, requestsTo, startService } from './service.ts';

/** What storage responds with, status 200, in place of a result. */
const pages: Record<string, Partial<Fault>> = {
  'an HTML page': {
    body: '<!doctype html><title>Down</title>',
    headers: { 'content-type': 'text/html' },
  },
  JSON: { body: { error: 'expired' }, headers: { 'content-type': 'image/png' } },
  XML: { body: '<Error><Code>AccessDenied</Code></Error>', headers: { 'content-type': null } },
  'an empty file': { body: '', headers: { 'content-type': 'image/png' } },
};
const storage = { route: 'GET /media/{task}/{file}', status: 200 };

test.concurrent.each(Object.entries(pages))(
  '%s in place of an image is not saved, and the paid image is fetched later',
  async (_, page) => {
    const service = await startService();
    const { mock } = service;
    mock.fail({ ...storage, ...page });
    const args = ['image', 'A harbor', '-m', 'prism-image', '-o', 'harbor.png'];
    const failed = await service.run(args);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(
      /^polygate image: The result of task \S+ is no image: its server sent /m,
    );
    expect(failed.stderr).toContain('The task is paid for, and its result can be fetched again');
    expect(failed.stderr).not.toContain('error.task');
    expect(requestsTo(mock, 'GET', '/media')).toHaveLength(6);
    expect([failed.stdout, existsSync(join(service.folder, 'harbor.png'))]).toEqual(['', false]);
    expect(readdirSync(service.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    const [, id = ''] =
      /^To continue: npx polygate task wait (\S+)$/.exec(lastLine(failed.stderr)) ?? [];
    const again = await service.run(['task', 'wait', id]);
    expect([again.code, lastLine(again.stderr)]).toEqual([3, lastLine(failed.stderr)]);
    mock.clearFaults();
    const saved = await service.run(['task', 'wait', id]);
    expect([saved.code, saved.stdout]).toEqual([0, expect.stringMatching(/harbor\.png\n$/)]);
    expect(service.read('harbor.png')).toContain('<svg');
    expect(mock.invoice).toHaveLength(1);
  },
);

test.concurrent('a row of a batch whose result is no media stays open, and is fetched again', async () => {
  const service = await startService();
  const { mock } = service;
  writeFileSync(join(service.folder, 'p.csv'), 'id,prompt\na,A\nb,B\n');
  const args = ['batch', 'p.csv', '-m', 'prism-image', '-o', 'out/{id}.{ext}', '--max-usd', '1'];
  mock.fail({ ...storage, ...pages['an HTML page'] });
  const failed = await service.run(args);
  expect([failed.code, failed.stdout]).toEqual([3, expect.stringContaining('2 open')]);
  expect(service.lines('p.csv.results.jsonl')).toMatchObject([
    { id: 'a', status: 'open', files: [], error: expect.stringContaining('sent an HTML page') },
    { id: 'b', status: 'open', files: [] },
  ]);
  expect(readdirSync(join(service.folder, 'out'))).toEqual([]);
  mock.clearFaults();
  const saved = await service.run(args);
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining('2 succeeded')]);
  expect(readdirSync(join(service.folder, 'out')).toSorted()).toEqual(['a.svg', 'b.svg']);
  expect(mock.invoice).toHaveLength(2);
});

test.concurrent('two runs whose journal is a link to a missing file pay once', async () => {
  const service = await startService();
  const { mock, folder } = service;
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync('elsewhere/journal.jsonl', join(folder, 'link.jsonl'));
  writeFileSync(join(folder, 'p.csv'), 'id,prompt\na,A\nb,B\nc,C\n');
  mock.fail({ route: 'POST /v1/chat/completions', delayMs: 3_000 });
  const args = ['batch', 'p.csv', '-m', 'aurora-chat', '--journal', 'link.jsonl', '--max-usd', '1'];
  const first = service.start(args);
  first.child.stdin?.end();
  await eventually(() => expect(existsSync(join(folder, 'elsewhere/journal.jsonl'))).toBe(true));
  const second = await service.run(args);
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining('is in use by process'),
  ]);
  expect((await first.end()).code).toBe(0);
  expect(mock.invoice).toHaveLength(3);
});
