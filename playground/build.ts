/** `npm run playground:build`: builds the playground as static files, with the reference gateway in the page. */
import { installDependencies } from './install.ts';

installDependencies();
// Otherwise the build contains paths of this machine where another value is set, such as in tests.
process.env.NODE_ENV = 'production';
// A dynamic import, because the build needs the dependencies that were just installed.
const { buildPages } = await import('./build-pages.ts');
await buildPages();
