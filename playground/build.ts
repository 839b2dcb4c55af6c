/** `npm run playground:build`: builds the playground as static files, with the reference gateway in the page. */
import { installDependencies } from './install.ts';

installDependencies();
// A dynamic import, because the build needs the dependencies that were just installed.
const { buildPages } = await import('./build-pages.ts');
await buildPages();
