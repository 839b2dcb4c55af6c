import { expectEqual, newUser } from './store-test.ts';
import type { MakeStore, StoreTest } from './store-test.ts';

/** Tests of the owners of resources. */
export const ownerTests = (makeStore: MakeStore): StoreTest[] => [
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
