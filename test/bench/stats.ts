export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? upper)) / 2;
}

/** Measured values by name and round. */
export type Samples = Readonly<Record<string, readonly (number | undefined)[]>>;

/**
 * Measures every name once per round and reverses the order after each round, so that a temporary slowdown of the
 * machine affects all of them.
 */
export async function interleave(
  names: readonly string[],
  rounds: number,
  measure: (name: string, round: number) => Promise<number | undefined>,
): Promise<Samples> {
  const samples = Object.fromEntries(names.map((name) => [name, [] as (number | undefined)[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples[name]![round] = await measure(name, round);
    }
  }
  return samples;
}

/** Medians by name. */
export function medians(samples: Samples): Record<string, number> {
  return mapValues(samples, (values) => median(values.filter((value) => value !== undefined)));
}

/** Median of the baseline. */
export function baselineOf(samples: Samples, baseline = 'raw'): number {
  return medians(samples)[baseline] ?? Number.NaN;
}

/** Compares each value with the baseline of the same round; returns medians. */
function compareWithBaseline(
  samples: Samples,
  compare: (value: number, baseline: number) => number,
  name = 'raw',
) {
  return mapValues(samples, (values) =>
    median(
      values.flatMap((value, round) => {
        const baseline = samples[name]?.[round];
        return value === undefined || baseline === undefined ? [] : [compare(value, baseline)];
      }),
    ),
  );
}

/** Ratio of each value to the baseline of the same round. */
export function ratios(samples: Samples, baseline?: string): Record<string, number> {
  return compareWithBaseline(samples, (value, base) => value / base, baseline);
}

/** Difference between each value and the baseline of the same round. */
export function differences(samples: Samples): Record<string, number> {
  const { raw: _, ...others } = compareWithBaseline(samples, (value, baseline) => value - baseline);
  return others;
}

export function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
