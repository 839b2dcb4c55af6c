/** The tests of all books, for `npm test` and for the long ones. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { BookKind } from './books.ts';
import { BrokenRule, run } from './check.ts';
import type { Scenario } from './check.ts';
import { differenceOf, differences } from './differences.ts';
import { sumOf } from './orders.ts';
import { regressions } from './regressions.ts';
import { scenariosBy, sequences, sizeOf } from './scenarios.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
export const seed = Number(process.env.POLYGATE_SEED ?? 1);
export const times = Number(process.env.POLYGATE_RUNS ?? 1);

/** Prepares the process: the MCP server notes each task on stderr, and windows end when the date changes. */
export function prepareProcess(): void {
  beforeAll(() => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterAll(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** Runs random scenarios until a book has received a number of orders. */
export function testRandomly(kinds: readonly BookKind[], orders: number): void {
  const prices = Object.entries(scenariosBy);
  const share = Math.ceil((orders * times) / prices.length);
  describe.each(kinds.map((kind) => [kind.name, kind] as const))(
    `%s (POLYGATE_SEED=${seed})`,
    (_, kind) => {
      test.each(prices)(
        'keeps its limit, and says at least what is used, with %s',
        async (_name, scenarios) => {
          let count = 0;
          let arrived = 0;
          const property = fc.asyncProperty(scenarios, async (scenario) => {
            count += sizeOf(scenario);
            const moments = await run(kind, scenario);
            arrived += moments.at(-1)?.arrived ?? 0;
          });
          // A scenario has 14 orders on average.
          const result = await fc.check(property, { seed, numRuns: Math.ceil(share / 14) });
          report(result);
          expect(arrived).toBeGreaterThan(count / 10);
        },
      );
    },
  );
}

/** Compares books with the first one. */
export function testAgreement(
  [first, ...others]: readonly [BookKind, ...BookKind[]],
  runs: number,
): void {
  test.each(others.map((kind) => [kind.name, kind] as const))(
    `${first.name} and %s send the same and say the same (POLYGATE_SEED=${seed})`,
    async (_, other) => {
      const property = fc.asyncProperty(sequences, async (sequence) => {
        const difference = await differenceOf([first, other], sequence);
        if (difference !== undefined) throw new BrokenRule(difference);
      });
      const result = await fc.check(property, { seed, numRuns: runs * times });
      report(result);
      expect(result.failed).toBe(false);
    },
  );
}

/** Checks the differences that have a reason. */
export function testDifferences(kinds: readonly BookKind[]): void {
  test.each(differences)('$reason', async ({ scenario, ends }) => {
    const found: Record<string, readonly number[]> = {};
    for (const kind of kinds) {
      const {
        arrived = 0,
        spentUsd = 0,
        reservedUsd = 0,
      } = (await run(kind, scenario)).at(-1) ?? {};
      found[kind.name] = [arrived, sumOf([spentUsd, reservedUsd])];
    }
    expect(found).toEqual(ends);
  });
}

/** Throws what has failed, with the seed and the smallest scenario that fails. */
function report({ failed, errorInstance, counterexample }: fc.RunDetails<[Scenario]>): void {
  if (!failed) return;
  if (!(errorInstance instanceof BrokenRule)) throw errorInstance;
  const minimal = JSON.stringify(counterexample?.[0]);
  throw new BrokenRule(`${errorInstance.message}\nPOLYGATE_SEED=${seed}, at least: ${minimal}`);
}

/** What books have got wrong before. */
export function testRegressions(kinds: readonly BookKind[], own = regressions): void {
  describe.each(own)('$title', ({ scenario }) => {
    test.each(kinds.map((kind) => [kind.name, kind] as const))('%s', async (_, kind) => {
      await expect(run(kind, scenario)).resolves.toBeDefined();
    });
  });
}
