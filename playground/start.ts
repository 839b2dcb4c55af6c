/** `npm run playground`: installs what the playground needs when it is missing, and serves it. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** When a file was written; 0 when there is none. */
const written = (path: string) => statSync(here + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (written('node_modules/.package-lock.json') < written('package-lock.json')) {
  console.log('Installing what the playground needs …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}
if (!process.argv.includes('--install-only')) {
  // Not before: it needs what was just installed.
  const { serve } = await import('./server/serve.ts');
  const { url, gateway } = await serve(Number(process.env['PORT'] ?? 5173));
  console.log(`\n  Playground  ${url}\n  Gateway     ${gateway}\n`);
}
