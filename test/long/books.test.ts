/** As `test/books`, with more random requests: 200,000 to all books together. */
import { batch, booksInMemory, clientOfBatch } from '../books/batches.ts';
import { client, mcp, proxy } from '../books/books.ts';
import { testDoctor } from '../books/doctor.ts';
import { prepareProcess, seed, testAgreement, testRandomly } from '../books/suite.ts';

prepareProcess();
testRandomly(booksInMemory, 34_000);
testAgreement([client, proxy, clientOfBatch, batch, mcp], 500);
testDoctor(seed, 600);
