/**
 * `npm run playground:build`: builds the playground as static files, with the reference gateway in the page. With the path
 * of a folder, builds the page of the server to that folder.
 */
import { installDependencies } from './install.ts';

installDependencies();
// Otherwise the build contains paths of this machine where another value is set, such as in tests.
process.env.NODE_ENV = 'production';
// A dynamic import, because the build needs the dependencies that were just installed.
const { buildPages, buildServedPage } = await import('./build-pages.ts');
const [folder] = process.argv.slice(2);
await (folder === undefined ? buildPages() : buildServedPage(folder));
