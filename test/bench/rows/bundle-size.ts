import { builtinModules } from 'node:module';
import { gzipSync } from 'node:zlib';

import { rolldown } from 'rolldown';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';

const program = new URL('../program.ts', import.meta.url).pathname;

/** Bundles a program, and measures the files that a page loads before it runs: those that are imported statically. */
async function firstLoadKiB(source: string): Promise<number> {
  const bundle = await rolldown({
    input: program,
    platform: 'browser',
    logLevel: 'silent',
    // Some clients import Node modules; a page would have to provide replacements.
    external: [/^node:/, ...builtinModules],
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === program ? id : undefined),
        load: (id) => (id === program ? source : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const chunks = new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  );
  const loaded = new Set<string>();
  const load = (name: string) => {
    const chunk = chunks.get(name);
    if (!chunk || loaded.has(name)) return;
    loaded.add(name);
    chunk.imports.forEach(load);
  };
  load(output[0].fileName);
  const bytes = Array.from(loaded, (name) => gzipSync(chunks.get(name)!.code, { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1_024;
}

async function sizes(kind: 'full' | 'chat'): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const [name, app] of Object.entries(apps)) {
    const source = app[kind];
    if (source !== undefined) values[name] = await firstLoadKiB(source);
  }
  return values;
}

/** Size of the code that a page loads before its first call. */
export async function bundleSizeRows(): Promise<Row[]> {
  const method =
    'Bundled for browsers with Rolldown, as Vite does: the files that the page imports statically, minified, gzip level 9.';
  return [
    {
      id: 'full',
      title: 'First load of a page with the whole client',
      unit: 'KiB',
      target: 25,
      method: `${method} Creates the client, or exports everything if the package consists of functions.`,
      values: await sizes('full'),
    },
    {
      id: 'chat-only',
      title: 'First load of a page with a chat',
      unit: 'KiB',
      target: 16,
      method: `${method} A program of a few lines that sends one chat request.`,
      values: await sizes('chat'),
    },
  ];
}
