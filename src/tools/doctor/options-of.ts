import type { PolygateOptions } from 'polygate';

import type { Diagnosis } from './diagnosis.ts';

/**
 * The options that a diagnosis recommends, merged into one object:
 * `new Polygate({ ...yours, ...optionsOf(diagnosis) })`. If yours have `paths` or `retryAmbiguous`, merge them.
 */
export function optionsOf({ checks }: Pick<Diagnosis, 'checks'>): PolygateOptions {
  const merged: PolygateOptions = {};
  for (const { option = {} } of checks) {
    const { paths, retryAmbiguous, ...others } = option;
    Object.assign(merged, others);
    if (paths) merged.paths = { ...merged.paths, ...paths };
    if (retryAmbiguous) merged.retryAmbiguous = { ...merged.retryAmbiguous, ...retryAmbiguous };
  }
  return merged;
}
