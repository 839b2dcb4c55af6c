/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? upper)) / 2;
}

/** What was measured, by name and round. */
export type Samples = Readonly<Record<string, readonly (number | undefined)[]>>;

/**
 * Takes turns: every round measures each name once, in an order that turns round each time, so that what slows the
 * machine down for a while slows all of them.
 */
export async function inTurns(
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

/** What the limit took by itself. */
export function limitOf({ raw = [] }: Samples): number {
  return median(raw.filter((value) => value !== undefined));
}

/** Medians of what each round tells of a value and of that of the limit. */
function compared(samples: Samples, compare: (value: number, limit: number) => number) {
  return mapValues(samples, (values) =>
    median(
      values.flatMap((value, round) => {
        const limit = samples.raw?.[round];
        return value === undefined || limit === undefined ? [] : [compare(value, limit)];
      }),
    ),
  );
}

/** Values over that of the limit in the same round. */
export function ratios(samples: Samples): Record<string, number> {
  return compared(samples, (value, limit) => value / limit);
}

/** Values more than that of the limit in the same round. */
export function differences(samples: Samples): Record<string, number> {
  const { raw: _, ...others } = compared(samples, (value, limit) => value - limit);
  return others;
}

export function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
