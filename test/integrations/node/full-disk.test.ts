import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { fileJournal } from 'polygate/journal';
import { saveTo } from 'polygate/node';
import { expect, onTestFinished, test } from 'vitest';
import type { TestContext } from 'vitest';

import { caught, clientOf } from '../../client/support.ts';
import { fileBytes, fileServer } from '../../support/file-server.ts';
import { emptyFolder, noPause } from './support.ts';

const run = promisify(execFile);

/** A file system of 64 KiB, in memory. Mounting one takes Linux and the rights of its administrator. */
async function smallDisk({ skip }: TestContext): Promise<string> {
  const folder = await emptyFolder();
  const path = folder.file('disk');
  await mkdir(path);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]);
  } catch (error) {
    skip(`This machine does not allow mounting a tmpfs: ${String(error)}`);
  }
  onTestFinished(async () => void (await run('umount', ['--lazy', path])));
  return path;
}

test('a full disk is an error with its code, and leaves only what was there', async (context) => {
  const disk = await smallDisk(context);
  const path = `${disk}/film.mp4`;
  await writeFile(path, 'old');
  const server = await fileServer();
  const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
  expect(fileBytes.length).toBeGreaterThan(64 * 1024);

  const error = await caught(saveTo(gateway, server.url, path, noPause));
  expect(error).toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(disk)).toEqual(['film.mp4']);
  expect(await readFile(path, 'utf8')).toBe('old');
  expect(server.requests).toHaveLength(1);

  const small = await fileServer({ body: fileBytes.subarray(0, 40_000) });
  expect(await saveTo(gateway, small.url, path)).toMatchObject({ bytes: 40_000 });
});

test('a lock that a full disk rejects leaves no file, for which the next run would wait', async (context) => {
  const disk = await smallDisk(context);
  await writeFile(`${disk}/other`, new Uint8Array(64 * 1024));
  const journal = fileJournal(`${disk}/run.jsonl`);
  expect(await caught(Promise.resolve(journal.lock?.()))).toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(disk)).toEqual(['other']);
});
