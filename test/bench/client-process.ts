import type { Client } from './client.ts';
import { client as raw } from './clients/raw.ts';
import { createRunner } from './jobs.ts';
import type { Job, JobResult } from './jobs.ts';

// Runs one client in its own process: performs the requested jobs and reports measurements. Can run the same job with
// the baseline, for comparisons within one process.

/** The measurements of a job. */
export interface Measurement extends JobResult {
  /** User and system CPU time in µs. */
  cpu: number;
  error?: string;
}

/** A job to run with the client, or with the baseline in the same process. */
export type ClientJob = Job & { baseline?: boolean };

const [name, base] = process.argv.slice(2);
const { client }: { client: Client } = await import(`./clients/${name}.ts`);
const run = createRunner(client, base!);
const runRaw = createRunner(raw, base!);

async function measure({ baseline, ...job }: ClientJob): Promise<Measurement> {
  // With `--expose-gc`, a job starts with an empty heap, and does not pay for the garbage of the previous one.
  globalThis.gc?.();
  const before = process.cpuUsage();
  try {
    const result = await (baseline ? runRaw : run)(job);
    const { user, system } = process.cpuUsage(before);
    return { cpu: user + system, ...result };
  } catch (error) {
    return { cpu: 0, error: `${name}: ${String(error)}` };
  }
}

process.on(
  'message',
  (job: ClientJob) => void measure(job).then((result) => process.send?.(result)),
);
process.on('disconnect', () => process.exit());
process.send?.('ready');
