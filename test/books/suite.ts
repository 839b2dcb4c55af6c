/** The tests of all books, for `npm test` and for the long ones. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { BookKind } from './books.ts';
import { BrokenRule, run } from './check.ts';
import { reds, withoutReds } from './reds.ts';
import { regressions } from './regressions.ts';
import { scenariosBy, sizeOf } from './scenarios.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
const seed = Number(process.env.POLYGATE_SEED ?? 1);
const times = Number(process.env.POLYGATE_RUNS ?? 1);

/** The MCP server notes each task on stderr. */
export function withoutNotes(): void {
  beforeAll(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));
  afterAll(() => void vi.restoreAllMocks());
}

/** Runs random scenarios until a book has received a number of orders. */
export function testRandomly(kinds: readonly BookKind[], orders: number): void {
  const prices = Object.entries(scenariosBy);
  const share = Math.ceil((orders * times) / prices.length);
  describe.each(kinds.map((kind) => [kind.name, kind] as const))(
    `%s (POLYGATE_SEED=${seed})`,
    (name, kind) => {
      test.each(prices)(
        'keeps its limit, and says at least what is used, with %s',
        async (_, scenarios) => {
          let count = 0;
          const property = fc.asyncProperty(scenarios, async (scenario) => {
            count += sizeOf(scenario);
            await run(kind, withoutReds(name, scenario));
          });
          // A scenario has 14 orders on average.
          const result = await fc.check(property, { seed, numRuns: Math.ceil(share / 14) });
          const { failed, errorInstance, counterexample } = result;
          if (failed && errorInstance instanceof BrokenRule) {
            const minimal = JSON.stringify(counterexample?.[0]);
            throw new BrokenRule(
              `${errorInstance.message}\nPOLYGATE_SEED=${seed}, at least: ${minimal}`,
            );
          }
          if (failed) throw errorInstance;
          expect(count).toBeGreaterThan(0);
        },
      );
    },
  );
}

/** What books have got wrong before. */
export function testRegressions(kinds: readonly BookKind[]): void {
  describe.each(regressions)('$title', ({ scenario, isRedIn = [] }) => {
    for (const kind of kinds) {
      const testOne = isRedIn.includes(kind.name) ? test.fails : test;
      testOne(kind.name, async () => {
        await expect(run(kind, scenario)).resolves.toBeDefined();
      });
    }
  });
}

/** The rules that books break today. Each fails until it is corrected. */
export function testReds(kinds: readonly BookKind[]): void {
  for (const kind of kinds) {
    const own = reds.filter(({ books: [first] }) => first === kind.name);
    test.fails.each(own)(`${kind.name}: $title`, async ({ scenario }) => {
      await expect(run(kind, scenario)).resolves.toBeDefined();
    });
  }
}
