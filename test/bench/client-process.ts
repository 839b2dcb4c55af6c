import type { Client } from './client.ts';
import { createRunner } from './jobs.ts';
import type { Job, JobResult } from './jobs.ts';

// Runs one client in its own process: performs the requested jobs and reports measurements.

/** The measurements of a job. */
export interface Measurement extends JobResult {
  /** User and system CPU time in µs. */
  cpu: number;
  error?: string;
}

const [name, base] = process.argv.slice(2);
const { client }: { client: Client } = await import(`./clients/${name}.ts`);
const run = createRunner(client, base!);

async function measure(job: Job): Promise<Measurement> {
  const before = process.cpuUsage();
  try {
    const result = await run(job);
    const { user, system } = process.cpuUsage(before);
    return { cpu: user + system, ...result };
  } catch (error) {
    return { cpu: 0, error: `${name}: ${String(error)}` };
  }
}

process.on('message', (job: Job) => void measure(job).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
