import { builtinModules } from 'node:module';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';

const resolveDir = new URL('..', import.meta.url).pathname;

async function bundledKiB(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
    // Some clients import Node modules; a page would have to provide replacements.
    external: ['node:*', ...builtinModules],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1_024;
}

async function sizes(program: 'full' | 'chat'): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const [name, app] of Object.entries(apps)) {
    const source = app[program];
    if (source !== undefined) values[name] = await bundledKiB(source);
  }
  return values;
}

/** Size of the code that a browser downloads. */
export async function bundleSizeRows(): Promise<Row[]> {
  const method = 'Bundled for browsers with esbuild, minified, gzip level 9.';
  return [
    {
      id: 'full',
      title: 'Full client, minified and gzipped',
      unit: 'KiB',
      target: 38,
      method: `${method} Imports everything that the package exports.`,
      values: await sizes('full'),
    },
    {
      id: 'chat-only',
      title: 'Chat-only app, minified and gzipped',
      unit: 'KiB',
      target: 19,
      method: `${method} A program of a few lines that sends one chat request.`,
      values: await sizes('chat'),
    },
  ];
}
