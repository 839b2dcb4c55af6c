import { partsLoading } from '../../src/wire/types/parts-loading.ts';

/**
 * Waits a few turns of the event loop, so that everything that needs no timer has happened. Reading a part of the client
 * from its file takes more turns, in the first test of a process that needs the part.
 */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn = partsLoading().size > 0 ? 0 : turn + 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
