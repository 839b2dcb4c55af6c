/** Writes coverage/specification.md, which maps every row of the specification to the test that covers it. */
import { mkdirSync, writeFileSync } from 'node:fs';

import { problems, table } from '../test/coverage/table.ts';

const errors = problems();
for (const problem of errors) console.error(problem);
if (errors.length > 0) process.exit(1);
const folder = new URL('../coverage/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('specification.md', folder), table());
