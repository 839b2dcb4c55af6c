import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { checkTruncations, runBatch } from './truncated-journal.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-journal-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns a new path and, if there is content, writes it there. */
async function fileWith(content?: string | Uint8Array): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.jsonl`);
  if (content !== undefined) await writeFile(path, content);
  return path;
}

const read = (path: string) => collect(fileJournal(path).read());

describe('fileJournal', () => {
  test('throws for an unknown option and suggests the right name', () => {
    const create = (options: object) => () => fileJournal('run.jsonl', options);
    expect(create({ store_params: true })).toThrow(
      new ConfigurationError('store_params: unknown option. Did you mean storeParams?'),
    );
    expect(create({ encoding: 'utf8' })).toThrow(
      new ConfigurationError('encoding: unknown option.'),
    );
  });

  test('reads the appended lines in order', async () => {
    const path = await fileWith();
    const journal = fileJournal(path);
    const lines = Array.from({ length: 500 }, (_, n) => `${n} ${'ü\u2028\u2029🐙\r'.repeat(n)}x`);
    await Promise.all(lines.map((line) => journal.append(line)));
    expect(await read(path)).toEqual(lines);
  });

  test('creates a missing file, readable by its owner only', async () => {
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
  ])('only appends: %j becomes %j', async (before, after) => {
    const path = await fileWith(before);
    await fileJournal(path).append('new');
    expect(await readFile(path, 'utf8')).toBe(after);
  });

  test('loses no line when two journals write to one file', async () => {
    const path = await fileWith();
    const [one, other] = [fileJournal(path), fileJournal(path)];
    const lines = Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(n)}`);
    await Promise.all(lines.map((line, n) => (n % 2 === 0 ? one : other).append(line)));
    const written = (await read(path)).filter((line) => line !== '');
    expect(written.toSorted()).toEqual(lines.toSorted());
  });

  test.each([
    ['its folder does not exist', async () => join(folder, 'none', 'run.jsonl'), 'ENOENT'],
    ['the path is a folder', async () => folder, 'EISDIR'],
    [
      'the file is read-only',
      async () => {
        const path = await fileWith('{"v":1,"type":"run","run":"r"}\n');
        await chmod(path, 0o400);
        return path;
      },
      'EACCES',
    ],
  ])('rejects before anything is sent if %s', async (_, make, code) => {
    const path = await make();
    // Root may write to read-only files.
    if (code === 'EACCES' && process.getuid?.() === 0) return;
    await expect(fileJournal(path).append('line')).rejects.toThrow(code);
    const mock = createMockGateway({ clock: 'virtual' });
    const messages = await runBatch(mock, path).then(
      (rows) => rows.map(({ error }) => error?.message ?? ''),
      (error: Error) => [error.message],
    );
    for (const message of messages) expect(message).toContain(code);
    expect(mock.requests).toEqual([]);
  });

  test('can append again after a failed write', async () => {
    const path = join(folder, 'later');
    const journal = fileJournal(join(path, 'run.jsonl'));
    await expect(journal.append('lost')).rejects.toThrow('ENOENT');
    await mkdir(path);
    await journal.append('kept');
    expect(await collect(journal.read())).toEqual(['kept']);
  });
});

test.each([false, true])(
  'a journal truncated at or near the end of a line causes no second charge (storeParams: %s)',
  async (storeParams) => {
    const nearEnds = (bytes: Buffer) =>
      Array.from(bytes.keys()).filter((end) =>
        [end - 2, end - 1, end, end + 1, end + 30].some((near) => bytes[near] === 0x0a),
      );
    expect(await checkTruncations(storeParams, nearEnds)).toBeGreaterThan(1_000);
  },
);
