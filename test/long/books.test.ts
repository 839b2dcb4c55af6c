/** As `test/books`, with more random requests: 200,000 to all books together. */
import { booksInMemory } from '../books/batches.ts';
import { testRandomly, withoutNotes } from '../books/suite.ts';

withoutNotes();
testRandomly(booksInMemory, 34_000);
