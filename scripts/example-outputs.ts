/** Runs the examples and writes what they print to docs/site/outputs.json, which the site shows below their source. */
import { writeFileSync } from 'node:fs';

import { outputsFile, runExamples } from './recorded-outputs.ts';

writeFileSync(outputsFile, `${JSON.stringify(await runExamples(), undefined, 2)}\n`);
