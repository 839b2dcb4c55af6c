/**
 * Importing the built client must cost little over what Node takes to load `fetch`, which ky touches when it is imported:
 * the row of the benchmark, for the client alone.
 */
import { importTarget, importTimes } from '../test/bench/import-time.ts';

const rounds = 15;
/** Other programs may be in the way; three times over is no chance. */
const attempts = 3;

const programs = { polygate: "import './dist/index.js';" };
const cwd = new URL('..', import.meta.url).pathname;

let fits = false;
for (let attempt = 0; attempt < attempts && !fits; attempt += 1) {
  const { touch, shares } = await importTimes(programs, rounds, cwd);
  const { polygate: share = Number.NaN } = shares;
  console.log(
    `import of polygate: ${(share * touch).toFixed(1)} ms, ${share.toFixed(2)} of the first touch of fetch (${touch.toFixed(1)} ms); at most ${importTarget}`,
  );
  fits = share <= importTarget;
}
if (!fits) process.exitCode = 1;
