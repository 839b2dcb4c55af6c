/** What a process has measured, in ms and bytes. */
export type Measured = Readonly<Record<string, number>>;

/** What Redis was requested to do, per unit: `requests` over the network, and `commands` including those of scripts. */
export interface Operations {
  readonly requests: number;
  readonly commands: number;
}

/** What `scale.ts` has measured: times in ms, sizes in bytes. */
export interface ScaleReport {
  readonly cores: number;
  readonly node: string;
  /** Day of the measurement. */
  readonly date: string;
  /** Average load of the machine during the last five minutes. */
  readonly load: number;
  readonly waiting: readonly Measured[];
  readonly queue: { readonly cost: Measured; readonly add: Operations; readonly work: Operations };
  readonly proxy: { readonly cost: Measured; readonly operations: Operations };
  readonly users: {
    /** Open sockets with `fetch` and `nodeFetch`, by the number of users. */
    readonly sockets: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /** For how many requests in flight the memory was measured. */
    readonly inFlight: { readonly chat: number; readonly forwarding: number };
    readonly bytesPerChat: number;
    readonly bytesPerForwarding: number;
  };
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const integer = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const mebi = (bytes: number) => `${number.format(bytes / 1_048_576)} MiB`;
const kibi = (bytes: number) => `${number.format(bytes / 1_024)} KiB`;
const seconds = (ms: number) => `${number.format(ms / 1_000)} s`;
const perSecond = (ms: number) => integer.format(Number((1_000 / ms).toPrecision(2)));

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [
    row(head),
    row(head.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...rows.map(row),
  ].join('\n');
}

function usersTable({ users }: ScaleReport): string {
  const { sockets, bytesPerChat, bytesPerForwarding } = users;
  return table(
    ['Users', 'Sockets, `fetch`', 'Sockets, `nodeFetch`', 'Memory, client', 'Memory, proxy'],
    [10, 1_000, 100_000].map((count) => [
      integer.format(count),
      integer.format(sockets[count]?.fetch ?? count),
      sockets[count]?.nodeFetch ?? 64,
      mebi(bytesPerChat * count),
      mebi(bytesPerForwarding * count),
    ]),
  );
}

function operationsTable({ queue, proxy }: ScaleReport): string {
  return table(
    ['', 'Requests', 'Commands, with those of scripts'],
    [
      operationsRow('Adding a row', queue.add),
      operationsRow('A row from submission to result, with one poll', queue.work),
      operationsRow('A request through the proxy with `limits`', proxy.operations),
    ],
  );
}

const operationsRow = (name: string, { requests, commands }: Operations) => [
  name,
  number.format(requests),
  number.format(commands),
];

function rowsTable({ waiting }: ScaleReport): string {
  return table(
    ['Rows', 'Redis, per row', '`addBulk`', 'Added again', 'New worker', 'Restart of Redis'],
    waiting.map((measured) => [
      integer.format(measured.rows!),
      kibi(measured.bytesPerRow!),
      seconds(measured.addCpuMs! + measured.addRedisCpuMs!),
      seconds(measured.addAgainCpuMs!),
      seconds(measured.workerStartCpuMs!),
      seconds(measured.redisRestartCpuMs!),
    ]),
  );
}

/** Renders docs/scale.md. */
export function scalePage(report: ScaleReport): string {
  const { cores, node, date, load, users } = report;
  const { bytesPerRow = Number.NaN } = report.waiting.at(-1) ?? {};
  const { cost: queue } = report.queue;
  const { cost: proxy } = report.proxy;
  return `# Scale

What 10, 1,000 and 100,000 users at the same time need, what saturates first, and which number to raise. Measured with ${cores} cores and
Node.js ${node}, ${date}. Rates are for one core${load > cores ? '; it had other work, so an idle one does more' : ''}.

## Users

Each user waits for one chat. Memory is computed from ${integer.format(users.inFlight.chat)} requests of a client and ${integer.format(users.inFlight.forwarding)} of a proxy:

${usersTable(report)}

With \`nodeFetch\`, the other requests wait for a connection. The global \`fetch\` opens one for each, up to the system's limit of open files and about
28,000 ports per address of the service. If too many users start at once, the proxy responds with a 503 \`store_unavailable\`, sending nothing.

## What saturates

- **The account.** With a limit of 1,000 slots and chats of 2 s, 500 chats start per second, and the last of 100,000 users waits 200 s. Raise
  the limit at the service, and [\`maxQueueTime\`](client-options.md) above the longest wait.
- **Connections.** 64 connections carry 32 chats of 2 s per second. Raise \`connections\` of [\`nodeFetch\`](runtimes.md#nodefetch) to
  the limit of the account.
- **The proxy.** With \`limits\` on Redis, a request takes ${number.format(proxy.cpuMsPerRequest!)} ms of CPU time in the proxy and ${number.format(proxy.redisCpuMsPerRequest!)} ms in Redis: ${perSecond(proxy.cpuMsPerRequest!)} requests per second
  and process, and ${perSecond(proxy.redisCpuMsPerRequest!)} per Redis. Start more processes with one [\`redisStore\`](user-limits.md#several-processes), which can be a cluster. A user takes ${kibi(proxy.redisBytesPerUser!)} of Redis.
- **The queue.** A row takes ${number.format(queue.cpuMsPerRow!)} ms in its worker and ${number.format(queue.redisCpuMsPerRow!)} ms in Redis: ${perSecond(queue.cpuMsPerRow!)} rows per second and worker, and ${perSecond(queue.redisCpuMsPerRow!)} per Redis. Raise
  [\`concurrency\`](many-machines.md#deploy-workers) until a worker fills a core, then start more workers. Past the rate of one Redis, use one
  per account.

At 10 users, the defaults suffice. At 1,000, check the account and \`connections\`. At 100,000, use several proxies.

## Operations of Redis

${operationsTable(report)}

Each further poll takes a few. MONITOR counts them.

## Many rows

Rows that wait, in CPU time:

${rowsTable(report)}

- \`addBulk\` is linear. 1,000,000 such rows take ${number.format((bytesPerRow * 1e6) / 1_073_741_824)} GiB of Redis.
- **Adding again** compares every row.
- **A new worker** takes the next row. It does not read the others.
- **A restart of Redis** reads its file: nothing is submitted until it has. With \`appendonly\`, no row is lost, besides [a second](many-machines.md#redis-settings).

## Measure it

\`node test/bench/scale.ts\` writes [benchmarks/scale.json](benchmarks/scale.json) and this page; its argument is the number of rows.
`;
}
