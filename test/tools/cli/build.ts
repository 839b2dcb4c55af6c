import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildSync } from 'esbuild';

import packageJson from '../../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../..', import.meta.url));
const names = ['polygate', 'polygate-mock'] as const;
let folder: string | undefined;

/**
 * The file of a command, built from its sources when a process runs the first one: a command starts in half the time that
 * hundreds of source files need.
 */
export function builtCommand(name: (typeof names)[number]): string {
  folder ??= build();
  return join(folder, `${name}.mjs`);
}

/** Builds the commands into a folder that is named after its content, so that processes can build at the same time. */
function build(): string {
  const { '@modelcontextprotocol/server': _, ...external } = packageJson.peerDependencies;
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: names.map((name) => `src/tools/cli/${name}.ts`),
    outdir: '.vitest',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: Object.keys(external),
  });
  const hash = createHash('sha256').update(outputFiles.map((file) => file.hash).join(' '));
  const target = join(root, '.vitest', `commands-${hash.digest('hex').slice(-32)}`);
  if (existsSync(target)) return target;
  const draft = `${target}-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  for (const { path, contents } of outputFiles)
    writeFileSync(join(draft, basename(path)), contents);
  for (const name of names) {
    const start = `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./${name}.js');\n`;
    writeFileSync(join(draft, `${name}.mjs`), start);
  }
  // Another process may have created it in the meantime.
  if (existsSync(target)) rmSync(draft, { recursive: true });
  else renameSync(draft, target);
  return target;
}
