import { limitTests } from './limit-tests.ts';
import { reservationTests } from './reservation-tests.ts';
import { expectEqual, newUser } from './store-test.ts';
import type { MakeStore, StoreRules, StoreTest } from './store-test.ts';

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
  const makeUser = (windowMs?: number) => newUser(makeStore, windowMs);
  const rules = { ...limitTests, ...reservationTests, ...ownerTests };
  return Object.entries(rules).map(([name, check]) => ({
    name,
    run: async () => check(await makeUser(), makeUser),
  }));
}

/** Tests of the owners of resources. */
const ownerTests: StoreRules = {
  'The first owner of a resource is its owner, and others have none': async ({ store, name }) => {
    const [task, material] = [`task_${crypto.randomUUID()}`, `asset://${crypto.randomUUID()}`];
    await store.own(name, [task, material]);
    await store.own('another user', [task]);
    const owners = await store.ownersOf([task, crypto.randomUUID(), material]);
    expectEqual(
      'owners',
      owners.map((owner) => owner ?? 'none'),
      [name, 'none', name],
    );
  },
  'A list without resources has no owners': async ({ store, name }) => {
    await store.own(name, []);
    expectEqual('owners', await store.ownersOf([]), []);
  },
};
