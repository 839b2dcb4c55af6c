import { build } from 'vite';

import { resolvePath, staticBuild } from './build-options.ts';

/** Writes the static files to `dist/playground`: the page, and the module that shows its first view in another page. */
export async function buildPages(): Promise<void> {
  await build({
    ...staticBuild,
    // The licence of a package has to accompany its bundled code.
    build: { ...staticBuild.build, emptyOutDir: true, license: { fileName: 'LICENSES.md' } },
  });
  const entry = resolvePath('./src/embed.tsx');
  await build({
    ...staticBuild,
    build: {
      ...staticBuild.build,
      emptyOutDir: false,
      lib: { entry, formats: ['es'], fileName: () => 'pull-the-plug.js' },
    },
  });
}
