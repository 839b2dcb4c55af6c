/**
 * Importing the built client must cost little: less than half of what Node takes to load `fetch`, which is left for the
 * first request. CPU time, medians of processes that take turns, so that a busy machine slows both.
 */
import { spawnSync } from 'node:child_process';

const rounds = 15;
const budget = 0.5;

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
if (!(share <= budget)) process.exitCode = 1;
