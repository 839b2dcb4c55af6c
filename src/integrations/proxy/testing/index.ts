import { limitTests } from './limit-tests.ts';
import { reservationTests } from './reservation-tests.ts';
import { expectEqual, newUser } from './store-test.ts';
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

/** Tests of the owners of resources. */
const ownerTests = (makeStore: MakeStore): StoreTest[] => [
  {
    name: 'The first owner of a resource is its owner, and others have none',
    async run() {
      const { store, name } = await newUser(makeStore);
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
  },
  {
    name: 'A list without resources has no owners',
    async run() {
      const { store, name } = await newUser(makeStore);
      await store.own(name, []);
      expectEqual('owners', await store.ownersOf([]), []);
    },
  },
];
