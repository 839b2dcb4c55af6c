import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { MockGateway } from 'polygate/mock';

import { dim, field, red, title, usual } from './screen.ts';

/** The charge at which the process is killed. The text below names it. */
const killAfter = 3;

const program = fileURLToPath(new URL('batch-process.ts', import.meta.url));

/** Kills a process in the middle of a batch, and runs the same batch again in another process. */
export async function crashAndRunAgain(
  baseURL: string,
  mock: MockGateway,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  title('A batch that is killed and run again', 'gateway.batch()');
  const folder = await mkdtemp(join(tmpdir(), 'polygate-demo-'));
  const file = join(folder, 'batch.jsonl');
  const env = { ...process.env, POLYGATE_API_KEY: mock.apiKey, POLYGATE_BASE_URL: baseURL };
  const run = async (...args: string[]): Promise<string> => {
    const child = fork(program, [file, model, ...args], { env, signal });
    const [, killedBy] = await once(child, 'exit', { signal });
    return String(killedBy);
  };
  const before = mock.invoice.length;
  const charges = () => mock.invoice.slice(before);
  try {
    field('process 1', dim('six images; killed at the third charge that it receives'));
    const killedBy = await run(String(killAfter));
    const paidTasks = charges().flatMap(({ taskId = [] }) => taskId);
    const count = paidTasks.length;
    const counts = `${killAfter} responses received, ${count} charges on the invoice`;
    field('killed', `${red(`by ${killedBy}`)}  ${counts}`);
    if (count > killAfter) field('', 'the journal has the keys of requests without a response');
    console.log();
    field('process 2', dim('the same program with the same journal'));
    await run('never', ...paidTasks);
    field('charged', `${charges().length} times for 6 rows`);
    usual(`${count + 6} times: the second run starts again from the first row`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
