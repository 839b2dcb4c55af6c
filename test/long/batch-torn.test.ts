import { expect, test } from 'vitest';

import { checkTorn } from '../journal/torn.ts';

test.each([false, true])(
  'a journal that was torn at any byte costs nothing twice (params kept: %s)',
  async (storeParams) => {
    const every = (bytes: Buffer) => Array.from(bytes.keys()).concat(bytes.length);
    expect(await checkTorn(storeParams, every)).toBeGreaterThan(1_000);
  },
);
