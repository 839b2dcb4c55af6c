/** All books count what the service charges, whatever happens to their requests. */
import { describe } from 'vitest';

import { batch, booksInMemory, clientOfBatch } from './batches.ts';
import { client, mcp, proxy } from './books.ts';
import { testDoctor } from './doctor.ts';
import {
  prepareProcess,
  seed,
  testAgreement,
  testDifferences,
  testRandomly,
  testRegressions,
} from './suite.ts';

prepareProcess();
describe('regressions', () => {
  testRegressions(booksInMemory);
});
testRandomly(booksInMemory, 300);
describe('agreement', () => {
  testAgreement([client, proxy, clientOfBatch, batch, mcp], 12);
  testDifferences(booksInMemory);
});
testDoctor(seed, 15);
