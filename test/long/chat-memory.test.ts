import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

const hook = new URL('../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('chat-memory-child.ts', import.meta.url));

test('5,000 chats with completions of 4 KiB keep a fraction of them in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-chat-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'run.jsonl');
  const child = spawn(process.execPath, ['--expose-gc', '--import', hook, program, path, '5000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [{ requests, results }] = await Promise.all([
    json(child.stdout) as Promise<{ requests: number; results: number[] }>,
    once(child, 'exit'),
  ]);
  expect(requests).toBe(5_000);
  expect((await stat(path)).size).toBeGreaterThan(5_000 * 4_096);
  expect(results).toHaveLength(2);
  // The ids of all rows stay in memory, and what the journal has recorded about those that were not read yet.
  for (const bytes of results) expect(bytes).toBeLessThan(1_250);
});
