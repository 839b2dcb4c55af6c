import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Collects objects that are no longer referenced, and lets their finalizers run. */
export async function collectGarbage(): Promise<void> {
  const witness = new WeakRef(new Response());
  for (let round = 0; round < 50; round += 1) {
    await sleep(1);
    gc();
    if (round > 5 && witness.deref() === undefined) return;
  }
}
