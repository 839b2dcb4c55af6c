/** `npm run playground`: installs the playground's dependencies if they are out of date, and serves it. */
import { installDependencies } from './install.ts';

installDependencies();
if (!process.argv.includes('--install-only')) {
  // A dynamic import, because the server needs the dependencies that were just installed.
  const { serve } = await import('./server/serve.ts');
  const { url, gateway } = await serve(Number(process.env['PORT'] ?? 5173));
  console.log(`\n  Playground  ${url}\n  Gateway     ${gateway}\n`);
}
