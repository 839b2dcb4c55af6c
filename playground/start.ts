/** `npm run playground`: installs the playground's dependencies if they are out of date, and serves it. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Modification time of a file; 0 if it does not exist. */
const modifiedAt = (path: string) => statSync(here + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) {
  console.log('Installing the dependencies of the playground …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}
if (!process.argv.includes('--install-only')) {
  // A dynamic import, because the server needs the dependencies that were just installed.
  const { serve } = await import('./server/serve.ts');
  const { url, gateway } = await serve(Number(process.env['PORT'] ?? 5173));
  console.log(`\n  Playground  ${url}\n  Gateway     ${gateway}\n`);
}
