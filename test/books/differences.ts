/** Where books differ, and why. A difference that is not listed here fails. */
import { isDeepStrictEqual } from 'node:util';

import type { BookKind } from './books.ts';
import { run } from './check.ts';
import type { Scenario } from './check.ts';
import { sumOf } from './orders.ts';
import { scenario, times } from './scenarios.ts';

/** Says how two books differ; undefined if they send the same, and say that the same is used. */
export async function differenceOf(
  kinds: readonly [BookKind, BookKind],
  given: Scenario,
): Promise<string | undefined> {
  const [one = [], other = []] = await Promise.all(
    kinds.map(async (kind) => {
      const moments = await run(kind, given);
      return moments.map(({ arrived, spentUsd, reservedUsd }) => ({
        sent: arrived,
        usedUsd: sumOf([spentUsd, reservedUsd]),
      }));
    }),
  );
  const at = one.findIndex((moment, index) => !isDeepStrictEqual(moment, other[index]));
  if (at < 0) return undefined;
  const [{ name: first }, { name: second }] = kinds;
  return `step ${at}: ${first} ${JSON.stringify(one[at])}, ${second} ${JSON.stringify(other[at])}`;
}

/** A difference that has a reason, with what each book has sent and says is used at the end. */
export interface Difference {
  readonly reason: string;
  readonly scenario: Scenario;
  readonly ends: Readonly<Record<string, readonly [sent: number, usedUsd: number]>>;
}

const all = (end: readonly [number, number], others: Difference['ends'] = {}) => ({
  client: end,
  'client without prices': end,
  'client that loads prices': end,
  proxy: end,
  batch: end,
  'client of a batch': end,
  'MCP server': end,
  ...others,
});

export const differences: readonly Difference[] = [
  {
    reason:
      'the first replay of a request that another program has paid for counts once, if it reports a charge',
    scenario: scenario(1, [[{ key: 'k1' }]], { isPaidElsewhere: true }),
    ends: all([1, 0.02]),
  },
  {
    reason:
      'what has a result is sent again by clients, but not by a batch or the MCP server, which keep it',
    scenario: scenario(1, [[{ key: 'k1' }], [{ key: 'k1' }]]),
    ends: all([2, 0.02], {
      batch: [1, 0.02],
      'client of a batch': [1, 0.02],
      'MCP server': [1, 0.02],
    }),
  },
  {
    reason:
      'of an unknown price, the MCP server refuses requests, and the proxy reserves `chatUsd`',
    scenario: scenario(1, [[{ model: 'unlisted', fate: 'lost after' }]]),
    ends: all([1, 0], { proxy: [1, 0.02], 'MCP server': [0, 0] }),
  },
  {
    reason: 'a batch pauses after four lost requests of unknown prices, and a client does not',
    scenario: scenario(
      1,
      times(5, (index) => [{ key: `k${index}`, model: 'unlisted', fate: 'lost after' }]),
    ),
    ends: all([5, 0], { proxy: [5, 0.1], batch: [4, 0], 'MCP server': [0, 0] }),
  },
  {
    reason:
      'two bodies of one key share a reservation, but are two rows of a batch, and have two keys of the MCP server',
    scenario: scenario(1, [
      [{ key: 'k1', fate: 'lost after' }],
      [{ key: 'k1', body: 1, fate: 'lost after' }],
    ]),
    ends: all([2, 0.02], {
      'client without prices': [2, 0],
      batch: [2, 0.04],
      'MCP server': [2, 0.04],
    }),
  },
];
