/**
 * Kills a process in the middle of a batch, right after the charge for its third image, and recovers the batch in
 * another process. The two processes share only the journal.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { pickModel, startMock } from './support/gateway.ts';

const [path] = process.argv.slice(2);

if (path === undefined) await crashAndRecover();
else await crash(path);

async function crash(file: string): Promise<void> {
  let charges = 0;
  const onCharge = () => {
    charges += 1;
    if (charges === 3) process.kill(process.pid, 'SIGKILL');
  };
  const gateway = new Polygate({ onCharge });
  const model = await pickModel(gateway, 'image');
  // With the params in the journal, recover() can resend requests that got no response.
  const journal = fileJournal(file, { storeParams: true });
  const prompts = ['A harbor', 'A lighthouse', 'An island', 'A ferry', 'A pier'];
  const submission = (prompt: string) => gateway.images.submission({ model, prompt });
  const rows = gateway.batch(prompts, submission, { journal, id: (prompt) => prompt });
  for await (const row of rows) console.log(row.id, row.status);
}

async function crashAndRecover(): Promise<void> {
  const { mock, stop } = await startMock();
  const folder = await mkdtemp(join(tmpdir(), 'polygate-'));
  const file = join(folder, 'run.jsonl');
  try {
    const [, signal] = await once(fork(import.meta.filename, [file]), 'exit');
    console.log(`The first process was killed by ${signal}. This process has only its journal:\n`);
    for await (const row of new Polygate().recover(fileJournal(file))) {
      const how = row.task?.replayed ? 'resubmitted with the same key' : 'waited for';
      console.log(`${row.id}: ${how}, ${row.status} ${row.generation?.urls[0] ?? ''}`);
    }
    if (mock === undefined) return;
    console.log('\nInvoice of the gateway:');
    for (const { taskId, model, usd } of mock.invoice) console.log(`${taskId}  ${model}  $${usd}`);
    console.log(`${mock.invoice.length} charges for ${mock.tasks.length} tasks`);
  } finally {
    await rm(folder, { recursive: true });
    await stop();
  }
}
