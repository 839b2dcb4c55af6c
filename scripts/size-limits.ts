/** Sets the limits in `.size-limit.json` to the sizes of the last build and their headroom. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** The most that a page may have to load before its first call, in KiB. */
const targets = new Map([
  ['dist/index.js { Polygate }', 30],
  ['dist/chat.js { ChatClient }', 22.2],
]);

/** The limit for a measured size: 3 % more, rounded up to 0.1 KiB, and at most the target. */
export function limitFor(bytes: number, targetKiB = Number.POSITIVE_INFINITY): string {
  return `${Math.min(Math.ceil((bytes * 1.03) / 102.4) / 10, targetKiB)} KiB`;
}

if (import.meta.main) {
  const file = '.size-limit.json';
  // The exit code says only that a limit is exceeded.
  const { stdout } = spawnSync('size-limit', ['--json'], { encoding: 'utf8' });
  const measured: { name: string; size: number }[] = JSON.parse(stdout);
  const entries: { name: string; path: string; import: string; limit: string }[] = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const changed = entries.map((entry) => {
    const { size = Number.NaN } = measured.find(({ name }) => name === entry.name) ?? {};
    const target = targets.get(`${entry.path} ${entry.import}`) ?? Number.POSITIVE_INFINITY;
    const excess = size - target * 1024;
    if (excess > 0) {
      console.error(`${entry.name}: ${Math.ceil(excess)} B above the target of ${target} KiB`);
      process.exitCode = 1;
    }
    return { ...entry, limit: limitFor(size, target) };
  });
  writeFileSync(file, JSON.stringify(changed, null, 2));
  execFileSync('oxfmt', [file], { stdio: 'inherit' });
}
