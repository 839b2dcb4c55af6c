import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { fileJournal } from '../../../src/integrations/journal/index.ts';
import { lockFile, ownIdentity } from '../../../src/integrations/journal/lock-file.ts';
import { rejection } from '../../support/rejection.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-lock-'));
});
afterAll(() => rm(folder, { recursive: true }));

const newPath = () => join(folder, `${(files += 1)}.jsonl`);
const timing = { beatMs: 20, silenceMs: 200 };

/** The names of all lock files of a journal. */
const locksOf = async (path: string) =>
  (await readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.`));

/** Leaves the lock file of another process. */
async function leaveLock(path: string, claim: object): Promise<string> {
  const file = `${path}.${crypto.randomUUID()}.lock`;
  await writeFile(
    file,
    JSON.stringify({ ...(await ownIdentity()), isHeld: true, beat: 1, ...claim }),
  );
  return file;
}

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('the lock of a file journal', () => {
  test('refuses a second run with the pid of the first, until it is released', async () => {
    const path = newPath();
    const release = await fileJournal(path).lock?.();
    const error = await rejection(ConfigurationError, Promise.resolve(fileJournal(path).lock?.()));
    expect(error.message).toContain(`pid ${process.pid}`);
    expect(await locksOf(path)).toHaveLength(1);
    await release?.();
    expect(await locksOf(path)).toEqual([]);
    await (
      await fileJournal(path).lock?.()
    )?.();
  });

  test('is taken by exactly one of many', async () => {
    const path = newPath();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => lockFile(path, timing)),
    );
    const taken = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
    expect(await locksOf(path)).toEqual([]);
  });

  test('is that of the file behind a symbolic link', async () => {
    const path = newPath();
    await writeFile(path, '');
    const link = newPath();
    await symlink(path, link);
    const lock = await lockFile(path, timing);
    const error = await rejection(ConfigurationError, lockFile(link, timing));
    expect(error.message).toContain(`'${link}' is in use`);
    await lock.release();
  });

  test.each(['before', 'after'])(
    'is that of the file that the system opens for .. behind a link to a folder, %s it exists',
    async (moment) => {
      const own = await mkdtemp(join(folder, 'links-'));
      await mkdir(join(own, 'elsewhere', 'inner'), { recursive: true });
      await symlink('elsewhere/inner', join(own, 'inside'));
      // Not join(), which would remove `inside/..`.
      const [name, link] = [`${own}/inside/../journal.jsonl`, join(own, 'link.jsonl')];
      await symlink('inside/../journal.jsonl', link);
      if (moment === 'after') await fileJournal(name).append('{}');
      const lock = await lockFile(join(own, 'elsewhere', 'journal.jsonl'), timing);
      for (const other of [name, link]) {
        const error = await rejection(ConfigurationError, lockFile(other, timing));
        expect(error.message).toContain(`'${other}' is in use`);
      }
      await lock.release();
    },
  );

  test('is the same before and after the file behind a symbolic link exists', async () => {
    const [path, middle, link] = [newPath(), newPath(), newPath()];
    await symlink(basename(path), middle);
    await symlink(middle, link);
    const lock = await lockFile(link, timing);
    // Writes through the link, which creates the file.
    await fileJournal(link).append('{}');
    for (const name of [link, middle, path]) {
      const error = await rejection(ConfigurationError, lockFile(name, timing));
      expect(error.message).toContain(`'${name}' is in use`);
    }
    await lock.release();
    expect(await readFile(path, 'utf8')).toBe('{}\n');
  });

  test.each([
    ['that has died', async () => ({ pid: await deadPid() })],
    ['whose pid another one has by now', async () => ({ startedAt: '1' })],
  ])('does not block after a process %s', async (_, claim) => {
    const path = newPath();
    await leaveLock(path, await claim());
    const lock = await lockFile(path, timing);
    expect(await locksOf(path)).toHaveLength(1);
    await lock.release();
  });

  test.each([
    ['a container with the same pids', { host: 'another boot pid:[1]', pid: process.pid }],
    ['an unknown program', { pid: 'none' }],
  ])('of %s is removed after a silence', async (_, claim) => {
    const path = newPath();
    await leaveLock(path, claim);
    const lock = await lockFile(path, timing);
    expect(await locksOf(path)).toHaveLength(1);
    await lock.release();
  });

  test('of another container blocks while it is renewed', async () => {
    const path = newPath();
    const claim = { host: 'another boot pid:[1]', pid: 1 };
    const file = await leaveLock(path, claim);
    let beat = 1;
    const renewal = setInterval(() => {
      beat += 1;
      void writeFile(file, JSON.stringify({ ...claim, isHeld: true, beat }));
    }, 20);
    const error = await rejection(
      ConfigurationError,
      lockFile(path, { beatMs: 20, silenceMs: 20_000 }),
    );
    clearInterval(renewal);
    expect(error.message).toContain('process 1 of another container or machine');
  });

  test('keeps a run whose lock was taken over from writing', async () => {
    const path = newPath();
    const journal = fileJournal(path);
    const release = await journal.lock?.();
    await journal.append('mine');
    for (const name of await locksOf(path)) await rm(join(folder, name));
    const error = await rejection(ConfigurationError, journal.append('late'));
    expect(error.message).toContain('was taken over by another process');
    expect(await readFile(path, 'utf8')).toBe('mine\n');
    await release?.();
  });
});
