/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * Takes turns: every round measures each name once, in an order that turns round each time, so that what slows the
 * machine down for a while slows all of them.
 */
export async function inTurns(
  names: readonly string[],
  rounds: number,
  measure: (name: string, round: number) => Promise<number | undefined>,
): Promise<Record<string, number>> {
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await measure(name, round);
      if (value !== undefined) samples.get(name)?.push(value);
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]));
}

/** Values over that of the limit. */
export function ratios(values: Record<string, number>, limit = 'raw'): Record<string, number> {
  const of = values[limit] ?? Number.NaN;
  return mapValues(values, (value) => value / of);
}

/** Values more than that of the limit. */
export function differences(values: Record<string, number>, limit = 'raw'): Record<string, number> {
  const from = values[limit] ?? Number.NaN;
  const { [limit]: _, ...others } = values;
  return mapValues(others, (value) => value - from);
}

export function mapValues(
  values: Record<string, number>,
  change: (value: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
