/** Generates docs/coverage.md, which maps every row of the specification to the test that covers it. */
import { writeFileSync } from 'node:fs';

import { problems, table } from '../test/coverage/table.ts';

const errors = problems();
for (const problem of errors) console.error(problem);
if (errors.length > 0) process.exit(1);
writeFileSync(new URL('../docs/coverage.md', import.meta.url), table());
