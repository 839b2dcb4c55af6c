import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all garbage now. */
export const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of the heap that are in use after all garbage was collected. */
export function heapInUse(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
