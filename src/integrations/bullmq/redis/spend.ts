import type { QueueSpend } from '../decisions/budget.ts';

/** Amounts in Redis are integers in nano-USD, because sums of fractions would drift. */
export const toNanoUsd = (usd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * 1e9)));

const fromNanoUsd = (amount = '0'): number => Number(amount) / 1e9;

/** Parses what the script `readSpend` returns. */
export function parseSpend(text: string): QueueSpend {
  const words = text.split(' ');
  const fields = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) fields.set(words[at] ?? '', words[at + 1] ?? '');
  return {
    spentUsd: fromNanoUsd(fields.get('spent')),
    reservedUsd: fromNanoUsd(fields.get('reserved')),
    largest: byPath(fields, 'largest:', fromNanoUsd),
    unpriced: byPath(fields, 'unpriced:', Number),
    submitting: Number(fields.get('submitting') ?? 0),
  };
}

function byPath(
  fields: ReadonlyMap<string, string>,
  prefix: string,
  parse: (text: string) => number,
): ReadonlyMap<string, number> {
  const found = [...fields].filter(([name]) => name.startsWith(prefix));
  return new Map(found.map(([name, value]) => [name.slice(prefix.length), parse(value)]));
}
