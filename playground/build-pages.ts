import { build } from 'vite';

import { resolvePath, shared, staticBuild } from './build-options.ts';

/** The source files of the client. The schemas of `wire` need zod, which may not run before `without-eval.ts`. */
const client = /\/src\/(client|errors|paid|resources)\//;

/** Writes the static files to `dist/playground`: the page, and the module that shows its first view in another page. */
export async function buildPages(): Promise<void> {
  await build({
    ...staticBuild,
    // The licence of a package has to accompany its bundled code.
    build: {
      ...staticBuild.build,
      emptyOutDir: true,
      license: { fileName: 'LICENSES.md' },
      // The client loads parts of itself when they are first used, which is not worth a request each here.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'client', test: client }] } },
      },
    },
  });
  await build({
    ...staticBuild,
    build: {
      ...staticBuild.build,
      emptyOutDir: false,
      modulePreload: false,
      // One file, which the other page names. As a library, it would keep its whitespace.
      rolldownOptions: {
        input: resolvePath('./src/embed.tsx'),
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: false, entryFileNames: 'pull-the-plug.js' },
      },
    },
  });
}

/** Writes the page that needs the backend of a server to a folder. The tests build it once instead of serving its sources. */
export async function buildServedPage(outDir: string): Promise<void> {
  await build({ ...shared, build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 1000 } });
}
