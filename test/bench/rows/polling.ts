import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { baselineOf, medians, ratios } from '../stats.ts';
import type { Samples } from '../stats.ts';

/** `raw64` is no client, but shows what sharing 64 sockets saves on its own. */
const names = ['raw', 'polygate', 'openai', 'fal', 'replicate', 'raw64'];

/** Interval between two polls of a task, in ms. */
export const interval = 2_000;

/** A number of tasks to wait for in parallel, and when all of them end, in ms after the start. */
interface Wait {
  readonly tasks: number;
  readonly endMs: number;
}

/** Tasks end halfway between two polls. The first wait compiles the code and is not measured. */
const warmUp: Wait = { tasks: 1_000, endMs: 1_000 };
const few: Wait = { tasks: 1_000, endMs: 9_000 };
const many: Wait = { tasks: 10_000, endMs: 7_000 };

/** Duration in ms if polls took no time: until the first poll after the end. */
const idealMs = ({ endMs }: Wait) => Math.ceil(endMs / interval) * interval;

type Metric = 'cpuFew' | 'cpuMany' | 'wall' | 'memory' | 'stall' | 'sockets';

/** Runs the three waits in a new process. Also returns the number of open sockets. */
async function measure(server: Server, name: string): Promise<Record<Metric, number>> {
  const client = await startClient(name, server);
  const wait = async ({ tasks, endMs }: Wait) => {
    await server.command({ tasksEndInMs: endMs });
    const { cpu, wall = 0, ...measurement } = await client.run({ kind: 'wait', tasks, interval });
    const { peakSockets, polls } = await server.command({});
    return { ...measurement, cpuPerPoll: cpu / polls, wall, sockets: peakSockets };
  };
  await wait(warmUp);
  const { cpuPerPoll: cpuFew } = await wait(few);
  const { cpuPerPoll, wall, memory = 0, stall = 0, sockets } = await wait(many);
  await client.stop();
  return {
    cpuFew,
    cpuMany: cpuPerPoll,
    wall: wall / idealMs(many),
    memory: Math.max(0, memory / many.tasks),
    stall,
    sockets,
  };
}

/** Waits for many tasks in parallel: CPU time per poll, wall time, open sockets and memory per task. */
export async function pollRows(server: Server): Promise<Row[]> {
  const measured = new Map<string, Record<Metric, number>[]>();
  // Only the clients that determine the target run twice, to save time.
  for (const name of [...names, 'polygate', 'raw']) {
    measured.set(name, [...(measured.get(name) ?? []), await measure(server, name)]);
  }
  const samples = (metric: Metric): Samples =>
    Object.fromEntries(
      [...measured].map(([name, values]) => [name, values.map((value) => value[metric])]),
    );
  const describe = ({ tasks, endMs }: Wait) =>
    `The client waits for ${tasks.toLocaleString('en')} tasks in parallel and polls each every ${interval / 1_000} s. All tasks end ${endMs / 1_000} s after the start, so each is polled ${idealMs({ tasks, endMs }) / interval + 1} times, unless polls are late. A new process per measurement, warmed up with shorter waits.`;
  /** Without `raw64`, which the description mentions instead. */
  const row = (
    { tasks, endMs }: Wait,
    { raw64 = Number.NaN, ...values }: Record<string, number>,
    { method, ...rest }: Omit<Row, 'values'>,
  ): Row => ({
    ...rest,
    values,
    method: `${describe({ tasks, endMs })} ${method} A loop that shares 64 sockets, first come, first served, and does nothing else: ${Number(raw64.toPrecision(3))}${rest.unit === '×' ? '' : ` ${rest.unit}`.trimEnd()}.`,
  });
  const cpuRow = (id: string, wait: Wait, metric: Metric, target: number) =>
    row(wait, ratios(samples(metric)), {
      id,
      title: `CPU per poll, ${wait.tasks.toLocaleString('en')} waiting tasks`,
      unit: '×',
      target,
      method:
        'User and system CPU time relative to one loop of fetch, JSON.parse and setTimeout per task.',
      baseline: `${Math.round(baselineOf(samples(metric))).toLocaleString('en')} µs`,
    });
  return [
    cpuRow('poll-1000', few, 'cpuFew', 1.2),
    cpuRow('poll', many, 'cpuMany', 0.75),
    row(many, medians(samples('wall')), {
      id: 'wait',
      title: 'Duration of a wait for 10,000 tasks, relative to polls that take no time',
      unit: '×',
      target: 1.2,
      method: `Wall time until the client has returned the results of all tasks, divided by ${idealMs(many) / 1_000} s.`,
    }),
    row(many, medians(samples('stall')), {
      id: 'stall',
      title: 'Longest stall of the event loop, 10,000 waiting tasks',
      unit: 'ms',
      target: 50,
      method:
        'Measured with monitorEventLoopDelay, including the loop that starts the waits and garbage collection.',
    }),
    row(many, medians(samples('sockets')), {
      id: 'sockets',
      title: 'Maximum open sockets, 10,000 waiting tasks',
      unit: '',
      target: 128,
      method: 'Counted by the server.',
    }),
    row(many, medians(samples('memory')), {
      id: 'memory',
      title: 'Peak memory per task, 10,000 waiting tasks',
      unit: 'KiB',
      target: 18,
      method: 'Peak resident set size minus the resident set size before the wait.',
    }),
  ];
}
