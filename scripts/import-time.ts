/**
 * Checks that importing the built client takes little longer than loading `fetch`, which ky loads on import. Uses the
 * same measurement and target as the benchmark.
 */
import { importTarget, importTimes } from '../test/bench/import-time.ts';

const rounds = 15;
/** Other programs can disturb a measurement, so the check fails only if every attempt exceeds the target. */
const maxAttempts = 3;

const programs = { polygate: "import './dist/index.js';" };
const cwd = new URL('..', import.meta.url).pathname;

let passed = false;
for (let attempt = 0; attempt < maxAttempts && !passed; attempt += 1) {
  const { fetchMs, ratios } = await importTimes(programs, rounds, cwd);
  const { polygate: ratio = Number.NaN } = ratios;
  console.log(
    `Import time: ${(ratio * fetchMs).toFixed(1)} ms, ${ratio.toFixed(2)} times the first use of fetch (${fetchMs.toFixed(1)} ms). Maximum: ${importTarget}.`,
  );
  passed = ratio <= importTarget;
}
if (!passed) process.exitCode = 1;
