/** A process of the demo that runs a batch. It is killed after `killAfter` charges; `paidTasks` are those paid before. */
import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { row } from './screen.ts';

const [file = '', model = '', killAfter, ...paidTasks] = process.argv.slice(2);

let charges = 0;
const onCharge = () => {
  charges += 1;
  if (String(charges) === killAfter) process.kill(process.pid, 'SIGKILL');
};

const gateway = new Polygate({ onCharge, concurrency: 2 });
const prompts = ['a harbor', 'a lighthouse', 'an island', 'a ferry', 'a pier', 'a cliff'];

const rows = gateway.batch(prompts, (prompt) => gateway.images.submission({ model, prompt }), {
  journal: fileJournal(file),
  id: (prompt) => prompt,
  pollInterval: 150,
  maxPollInterval: 150,
});
for await (const { id, status, task, error } of rows) {
  const payer = paidTasks.includes(task?.id ?? '') ? 'process 1' : 'process 2';
  row([id, 18], [status, 10], [error?.message ?? `paid for by ${payer}`, 0]);
}
