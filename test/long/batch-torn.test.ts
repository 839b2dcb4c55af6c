import { expect, test } from 'vitest';

import { checkTorn } from '../journal/torn.ts';

test.each([false, true])(
  'a journal that is torn at any byte never causes a second charge (storeParams: %s)',
  async (storeParams) => {
    const every = (bytes: Buffer) => Array.from(bytes.keys()).concat(bytes.length);
    expect(await checkTorn(storeParams, every)).toBeGreaterThan(1_000);
  },
);
