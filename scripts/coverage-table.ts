/** Writes docs/coverage.md: every row of the specification and the test that proves it. */
import { writeFileSync } from 'node:fs';

import { problems, table } from '../test/coverage/table.ts';

const wrong = problems();
for (const problem of wrong) console.error(problem);
if (wrong.length > 0) process.exit(1);
writeFileSync(new URL('../docs/coverage.md', import.meta.url), table());
