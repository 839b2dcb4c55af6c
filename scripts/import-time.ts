/** Checks that importing the built client takes much less time than loading `fetch`, which it does not load on import. */
import { processCpu } from '../test/bench/process-cpu.ts';
import { differences, interleave } from '../test/bench/stats.ts';

/** Maximum CPU time of an import relative to the first use of `fetch`, which Node loads lazily. */
const target = 0.35;
const rounds = 15;
/** Other programs can disturb a measurement, so the check fails only if every attempt exceeds the target. */
const maxAttempts = 3;

const programs = new Map([
  ['raw', ''],
  ['fetch', 'new Headers();'],
  ['polygate', "import './dist/index.js';"],
]);
const names = [...programs.keys()];
const cwd = new URL('..', import.meta.url).pathname;
const measure = async (name: string) => processCpu(programs.get(name) ?? '', cwd);

let passed = false;
await interleave(names, 1, measure);
for (let attempt = 0; attempt < maxAttempts && !passed; attempt += 1) {
  const times = differences(await interleave(names, rounds, measure));
  const { fetch: fetchMs = Number.NaN, polygate: importMs = Number.NaN } = times;
  const ratio = importMs / fetchMs;
  console.log(
    `Import time: ${importMs.toFixed(1)} ms, ${ratio.toFixed(2)} times the first use of fetch (${fetchMs.toFixed(1)} ms). Maximum: ${target}.`,
  );
  passed = ratio <= target;
}
if (!passed) process.exitCode = 1;
