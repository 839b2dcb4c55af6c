import { builtinModules } from 'node:module';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';

const resolveDir = new URL('..', import.meta.url).pathname;

async function bundledKB(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
    // Some clients reach for Node; a page would have to give them something there.
    external: ['node:*', ...builtinModules],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1_024;
}

async function sizes(which: 'whole' | 'chat'): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const [name, app] of Object.entries(apps)) {
    const source = app[which];
    if (source !== undefined) values[name] = await bundledKB(source);
  }
  return values;
}

/** What a browser loads. */
export async function weightRows(): Promise<Row[]> {
  const how = 'Bundled by esbuild for browsers, minified, gzip 9.';
  return [
    {
      id: 'whole',
      title: 'Whole client, minified, gzip',
      unit: 'KB',
      target: 28,
      method: `${how} Everything that the package exports.`,
      values: await sizes('whole'),
    },
    {
      id: 'chat-only',
      title: 'Chat-only app, minified, gzip',
      unit: 'KB',
      target: 22,
      method: `${how} An app of a few lines that asks a model something.`,
      values: await sizes('chat'),
    },
  ];
}
