/**
 * Importing the built client must cost little over what Node takes to load `fetch`, which ky touches when it is imported.
 * CPU time, medians of processes that take turns, so that a busy machine slows both.
 */
import { spawnSync } from 'node:child_process';

const rounds = 15;
/** 45 ms where the first touch of `fetch` takes 26. */
const budget = 1.73;
/** Other programs may be in the way; three times over is no chance. */
const attempts = 3;

const entry = new URL('../dist/index.js', import.meta.url).href;
const programs = {
  empty: '',
  fetch: 'new Headers();',
  polygate: `import ${JSON.stringify(entry)};`,
};

/** CPU time of a new process, ms. */
function run(program: string): number {
  const script = `${program}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout) / 1_000;
}

/** What the import takes, over the first touch of `fetch`. */
function measure(): number {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) (times[name] ??= []).push(run(program));
  }
  const median = (name: keyof typeof programs) =>
    times[name]?.toSorted((one, other) => one - other)[rounds >> 1] ?? Number.NaN;
  const touch = median('fetch') - median('empty');
  const ours = median('polygate') - median('empty');
  const share = ours / touch;
  console.log(
    `import of polygate: ${ours.toFixed(1)} ms, ${share.toFixed(2)} of the first touch of fetch (${touch.toFixed(1)} ms); at most ${budget}`,
  );
  return share;
}

const fits = Array.from({ length: attempts }).some(() => measure() <= budget);
if (!fits) process.exitCode = 1;
