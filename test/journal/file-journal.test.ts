import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { collect } from '../support/rejection.ts';
import { checkTorn, runBatch } from './torn.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-journal-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A path of its own, with these bytes where there are any. */
async function fileWith(content?: string | Uint8Array): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.jsonl`);
  if (content !== undefined) await writeFile(path, content);
  return path;
}

const read = (path: string) => collect(fileJournal(path).read());

describe('a journal in a file', () => {
  test('gives back the lines that were added, in their order', async () => {
    const path = await fileWith();
    const journal = fileJournal(path);
    const lines = Array.from({ length: 500 }, (_, n) => `${n} ${'ü\u2028\u2029🐙\r'.repeat(n)}x`);
    await Promise.all(lines.map((line) => journal.append(line)));
    expect(await read(path)).toEqual(lines);
  });

  test('is made when it is missing, for its owner alone', async () => {
    const path = await fileWith();
    expect(await read(path)).toEqual([]);
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await fileJournal(path).append('line');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['', 'new\n'],
    ['old\n', 'old\nnew\n'],
    ['old\nto', 'old\nto\nnew\n'],
  ])('only ever grows: %j becomes %j', async (before, after) => {
    const path = await fileWith(before);
    await fileJournal(path).append('new');
    expect(await readFile(path, 'utf8')).toBe(after);
  });

  test('is shared by two writers without a line lost', async () => {
    const path = await fileWith();
    const [one, other] = [fileJournal(path), fileJournal(path)];
    const lines = Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(n)}`);
    await Promise.all(lines.map((line, n) => (n % 2 === 0 ? one : other).append(line)));
    const found = (await read(path)).filter((line) => line !== '');
    expect(found.toSorted()).toEqual(lines.toSorted());
  });

  test.each([
    ['its folder is missing', async () => join(folder, 'none', 'run.jsonl'), 'ENOENT'],
    ['it is a folder', async () => folder, 'EISDIR'],
    [
      'it may not be written',
      async () => {
        const path = await fileWith('{"v":1,"type":"run","run":"r"}\n');
        await chmod(path, 0o400);
        return path;
      },
      'EACCES',
    ],
  ])('rejects, and lets nothing be sent, when %s', async (_, make, code) => {
    const path = await make();
    // The administrator may write everything.
    if (code === 'EACCES' && process.getuid?.() === 0) return;
    await expect(fileJournal(path).append('line')).rejects.toThrow(code);
    const mock = createMockGateway({ clock: 'virtual' });
    const outcome = await runBatch(mock, path).then(
      (rows) => rows.map(({ error }) => error?.message ?? ''),
      (error: Error) => [error.message],
    );
    for (const message of outcome) expect(message).toContain(code);
    expect(mock.requests).toEqual([]);
  });

  test('goes on after a write that failed', async () => {
    const path = join(folder, 'later');
    const journal = fileJournal(join(path, 'run.jsonl'));
    await expect(journal.append('lost')).rejects.toThrow('ENOENT');
    await mkdir(path);
    await journal.append('kept');
    expect(await collect(journal.read())).toEqual(['kept']);
  });
});

test.each([false, true])(
  'a journal that was torn at the end of a line, or near it, costs nothing twice (params kept: %s)',
  async (storeParams) => {
    const nearEnds = (bytes: Buffer) =>
      Array.from(bytes.keys()).filter((end) =>
        [end - 2, end - 1, end, end + 1, end + 30].some((near) => bytes[near] === 0x0a),
      );
    expect(await checkTorn(storeParams, nearEnds)).toBeGreaterThan(1_000);
  },
);
