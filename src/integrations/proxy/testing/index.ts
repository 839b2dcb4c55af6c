import { limitTests } from './limit-tests.ts';
import { ownerTests } from './owner-tests.ts';
import { reservationTests } from './reservation-tests.ts';
import type { MakeStore, StoreTest } from './store-test.ts';

export type { MakeStore, StoreTest } from './store-test.ts';

/**
 * The tests that your own `Store` must pass. They need no test runner: each has a name, and a function that
 * rejects if the store breaks the rule. Each test uses different users and resources, so the stores can share one
 * database.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 *
 * for (const { name, run } of storeTests(() => postgresStore(pool))) test(name, run);
 * ```
 */
export function storeTests(makeStore: MakeStore): StoreTest[] {
  return [...limitTests(makeStore), ...reservationTests(makeStore), ...ownerTests(makeStore)];
}
