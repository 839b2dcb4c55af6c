import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

const hook = new URL('../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('full-disk-child.ts', import.meta.url));

/** Runs a program that cannot write files over 4 KiB, as on a disk that becomes full. */
async function runOnFullDisk(...args: string[]): Promise<unknown> {
  // Most shells count blocks of 512 bytes, others of 1,024.
  const child = spawn(
    'sh',
    ['-c', 'ulimit -f 4; exec "$0" "$@"', process.execPath, '--import', hook, program, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [result] = await Promise.all([json(child.stdout), once(child, 'exit')]);
  return result;
}

test.skipIf(process.platform === 'win32')(
  'a locked journal on a full disk keeps nothing of the lines that it has rejected',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'polygate-full-disk-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'run.jsonl');
    // Two lines together do not fit. The first one would, and means nothing, because its row was not sent.
    expect(await runOnFullDisk(path)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines.map((line) => line.slice(0, 1))).toEqual(['a', 'd', '']);
  },
);
