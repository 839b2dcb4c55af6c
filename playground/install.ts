import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Modification time of a file; 0 if it does not exist. */
const modifiedAt = (path: string) => statSync(here + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Installs the dependencies of the playground if they are out of date. */
export function installDependencies(): void {
  if (modifiedAt('node_modules/.package-lock.json') >= modifiedAt('package-lock.json')) return;
  console.log('Installing the dependencies of the playground …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}
