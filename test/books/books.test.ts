/** All books count what the service charges, whatever happens to their requests. */
import { describe } from 'vitest';

import { booksInMemory } from './batches.ts';
import { testRandomly, testReds, testRegressions, withoutNotes } from './suite.ts';

withoutNotes();
describe('regressions', () => {
  testRegressions(booksInMemory);
});
describe('rules that are broken', () => {
  testReds(booksInMemory);
});
testRandomly(booksInMemory, 350);
