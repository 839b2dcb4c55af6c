import { build } from 'vite';

import { outDir, staticBuild } from './build-options.ts';

/** Writes the static files to `dist/playground`. */
export async function buildPages(): Promise<void> {
  await build({
    ...staticBuild,
    build: {
      outDir,
      emptyOutDir: true,
      // The licence of a package has to accompany its bundled code.
      license: { fileName: 'LICENSES.md' },
    },
  });
}
