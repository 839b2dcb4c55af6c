import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, onTestFinished, test } from 'vitest';

const hook = new URL('../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('chat-lines-child.ts', import.meta.url));

const count = 12;

/** A journal, and a service that is over capacity with every second row of the first model. */
async function createWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-chat-lines-'));
  // More slots than one process uses: the requests of a killed process may still occupy theirs.
  const mock = createMockGateway({ concurrencyLimit: 20 });
  mock.fail({ model: 'aurora-chat', status: 503, probability: 0.5 });
  /** The row of each request that was charged. */
  const charged: string[] = [];
  const server = await listen({
    ...mock,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = request.method === 'POST' ? await request.clone().text() : '';
      const response = await mock.fetch(request);
      const [row] = /row \d+/.exec(body) ?? [];
      if (row && response.ok) charged.push(row);
      return response;
    },
  });
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const path = join(folder, 'run.jsonl');
  const run = async (killAt: number, moment: string) => {
    const child = spawn(
      process.execPath,
      ['--import', hook, program, path, String(count), String(killAt), moment],
      {
        env: {
          ...process.env,
          POLYGATE_API_KEY: mock.apiKey,
          POLYGATE_BASE_URL: server.baseURL,
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const rows = output
      .trim()
      .split('\n')
      .map((line) => /^(row \d+) (\w+)$/.exec(line)?.slice(1) ?? []);
    return { isKilled: signal === 'SIGKILL', rows };
  };
  return { charged, path, run };
}

/** The rows whose completion is in the journal, in a line that is not torn. */
function completedRows(journal: string): Set<string> {
  const lines = journal.split('\n').filter((line) => line.endsWith('}'));
  return new Set(
    lines.flatMap((line) => /^\{"v":1,"type":"completed","id":"(row \d+)"/.exec(line)?.[1] ?? []),
  );
}

test.each(['before', 'torn', 'after'])(
  'chats whose process is killed at each line of the journal are paid for once: %s',
  async (moment) => {
    const { charged, path, run } = await createWorld();
    let kills = 0;
    // A run of unfinished rows writes up to three lines for each, so every kind of line is reached.
    for (let line = 2; line <= 8; line += 1) {
      const { isKilled } = await run(line, moment);
      if (isKilled) kills += 1;
    }
    expect(kills).toBeGreaterThan(3);
    const { rows } = await run(Infinity, moment);
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map(([id]) => id)).size).toBe(count);
    expect(new Set(charged).size).toBe(charged.length);
    const ended = new Map(rows.map(([id = '', status]) => [id, status]));
    const stored = completedRows(await readFile(path, 'utf8'));
    for (const [id, status] of ended) {
      const isStored = stored.has(id);
      expect([id, status]).toEqual([id, isStored ? 'succeeded' : 'unknown']);
      if (isStored) expect(charged).toContain(id);
    }
    // What was charged and has no completion is never presented as free.
    for (const id of charged) expect(ended.get(id)).toMatch(/succeeded|unknown/);
  },
);
