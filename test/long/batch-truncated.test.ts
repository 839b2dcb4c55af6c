import { expect, test } from 'vitest';

import { checkTruncations } from '../integrations/journal/truncated-journal.ts';

test.each([false, true])(
  'a journal truncated at any byte never causes a second charge (storeParams: %s)',
  async (storeParams) => {
    const every = (bytes: Buffer) => Array.from(bytes.keys()).concat(bytes.length);
    expect(await checkTruncations(storeParams, every)).toBeGreaterThan(1_000);
  },
);
