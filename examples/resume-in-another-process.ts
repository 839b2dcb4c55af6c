/**
 * Submits an image in one process and waits for it in another. The two share only a file with the task's receipt, which
 * contains neither the API key nor the prompt.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';

import { pickModel, startGateway } from './support/gateway.ts';

const [step, file = ''] = process.argv.slice(2);

switch (step) {
  case 'submit': {
    const gateway = new Polygate();
    const model = await pickModel(gateway, 'image');
    const task = await gateway.images.submit({ model, prompt: 'A lighthouse in a storm' });
    await writeFile(file, JSON.stringify(task));
    console.log(`process ${process.pid} submitted ${task.id} for $${task.chargeUsd} and exits`);
    break;
  }
  case 'finish': {
    const gateway = new Polygate();
    const task = gateway.resume(JSON.parse(await readFile(file, 'utf8')));
    console.log(`process ${process.pid} resumed ${task.id}`);
    const image = await task.wait({ waitTimeout: 600_000 });
    console.log(`${image.status}: ${image.urls[0]}`);
    break;
  }
  default:
    await runBoth();
}

async function runBoth(): Promise<void> {
  const stop = await startGateway();
  const folder = await mkdtemp(join(tmpdir(), 'polygate-'));
  try {
    for (const name of ['submit', 'finish']) {
      const [code] = await once(
        fork(import.meta.filename, [name, join(folder, 'receipt.json')]),
        'exit',
      );
      if (code !== 0) throw new Error(`The ${name} process exited with code ${code}`);
    }
  } finally {
    await rm(folder, { recursive: true });
    await stop();
  }
}
