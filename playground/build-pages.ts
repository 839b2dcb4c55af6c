import { build } from 'vite';

import { outDir, resolvePath, staticBuild } from './build-options.ts';

/** Writes the static files to `dist/playground`: the page, and the module that shows its first view in another page. */
export async function buildPages(): Promise<void> {
  await build({
    ...staticBuild,
    build: {
      outDir,
      emptyOutDir: true,
      // The licence of a package has to accompany its bundled code.
      license: { fileName: 'LICENSES.md' },
      // The page contains a client, a gateway and a chat; from this machine or in the cache, that is no delay.
      chunkSizeWarningLimit: 1000,
    },
  });
  await build({
    ...staticBuild,
    build: {
      outDir,
      emptyOutDir: false,
      lib: {
        entry: resolvePath('./src/embed.tsx'),
        formats: ['es'],
        fileName: () => 'pull-the-plug.js',
      },
      chunkSizeWarningLimit: 1000,
    },
  });
}
