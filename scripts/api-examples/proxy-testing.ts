/** Examples of the API reference for `polygate/proxy/testing`. */
import { memoryStore } from 'polygate/proxy';
import { storeTests } from 'polygate/proxy/testing';
import type { MakeStore } from 'polygate/proxy/testing';

// For StoreTest, MakeStore
export async function testStore() {
  const makeStore: MakeStore = () => memoryStore();
  for (const { name, run } of storeTests(makeStore)) {
    await run();
    console.log(`${name}: passed`);
  }
}
