import type { HeapProfiler, Profiler, Runtime } from 'node:inspector';

/** A call stack, innermost function first, and the time or the bytes that it accounts for. */
interface Sample {
  readonly stack: readonly Runtime.CallFrame[];
  readonly amount: number;
}

/** The time of each stack in ms, without idle time. */
export function readCpuProfile({ nodes, samples, timeDeltas }: Profiler.Profile): Sample[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)),
  );
  const stackOf = (id: number) => {
    const stack: Runtime.CallFrame[] = [];
    for (let node = byId.get(id); node !== undefined; node = byId.get(parents.get(node.id) ?? -1)) {
      stack.push(node.callFrame);
    }
    return stack;
  };
  return (samples ?? [])
    .map((id, index) => ({ stack: stackOf(id), amount: (timeDeltas?.[index] ?? 0) / 1_000 }))
    .filter(({ stack }) => stack[0]?.functionName !== '(idle)');
}

/** The KiB that each stack allocated. */
export function readAllocations({ head }: HeapProfiler.SamplingHeapProfile): Sample[] {
  const read = (
    { callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode,
    callers: readonly Runtime.CallFrame[],
  ): Sample[] => {
    const stack = [callFrame, ...callers];
    return [
      { stack, amount: selfSize / 1_024 },
      ...children.flatMap((child) => read(child, stack)),
    ];
  };
  return read(head, []);
}

function moduleOf({ url }: Runtime.CallFrame): string {
  return url === ''
    ? 'engine'
    : url
        .replace(/.*node_modules\//, '')
        .replace(/^file:.*\/(dist\/.*|clients\/.*|[\w-]+\.ts)/, '$1');
}

function nameOf(frame: Runtime.CallFrame): string {
  return `${frame.functionName || 'anonymous'} ${moduleOf(frame)}:${frame.lineNumber + 1}`;
}

/** Prints the largest amounts by module and by function. */
export function summarize(samples: readonly Sample[]): void {
  const total = samples.reduce((sum, { amount }) => sum + amount, 0);
  console.log(`Total: ${Math.round(total)} (ms or KiB)`);
  const print = (title: string, keyOf: (sample: Sample) => string) => {
    const sums = new Map<string, number>();
    for (const sample of samples) {
      const key = keyOf(sample);
      sums.set(key, (sums.get(key) ?? 0) + sample.amount);
    }
    console.log(`\n${title}`);
    const rows = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, 30);
    for (const [key, amount] of rows) {
      console.log(
        `${((100 * amount) / total).toFixed(1).padStart(6)}% ${amount.toFixed(0).padStart(8)}  ${key}`,
      );
    }
  };
  print('By module', ({ stack: [frame] }) => moduleOf(frame!));
  print('By function', ({ stack: [frame] }) => nameOf(frame!));
  // What Node and the engine do is attributed to the nearest caller outside them.
  print('By function, including Node and the engine', ({ stack }) => {
    const caller = stack.find(({ url }) => url.startsWith('file:'));
    return caller === undefined ? 'none' : nameOf(caller);
  });
}
