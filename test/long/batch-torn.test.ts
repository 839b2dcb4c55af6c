import { test } from 'vitest';

import { checkTorn } from '../journal/torn.ts';

test.each([false, true])(
  'a journal that was torn at any byte costs nothing twice (params kept: %s)',
  (storeParams) => checkTorn(storeParams, (bytes) => Array.from(bytes.keys()).concat(bytes.length)),
);
