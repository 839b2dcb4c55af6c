import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
const dir = process.cwd();
const one = async (contents, name) => {
  const r = await build({
    stdin: { contents, resolveDir: dir, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
    platform: 'browser',
    legalComments: 'none',
    treeShaking: true,
    alias: { ky: dir + '/src/browser/ky.ts' },
  });
  const rows = Object.entries(Object.values(r.metafile.outputs)[0].inputs)
    .map(([f, { bytesInOutput: b }]) => [b, f])
    .sort((a, b) => b[0] - a[0]);
  writeFileSync(
    `/tmp/shrink-${name}.txt`,
    rows.map(([b, f]) => `${String(b).padStart(6)} ${f}`).join('\n') + '\n',
  );
  writeFileSync(`/tmp/shrink-${name}.js`, r.outputFiles[0].text);
  return `${name}: ${gzipSync(r.outputFiles[0].contents, { level: 9 }).length} gz ${r.outputFiles[0].contents.length} min`;
};
console.log(
  await one(`export {ChatClient} from './src/chat.ts'`, 'chat'),
  '|',
  await one(`export * from './src/index.ts'`, 'all'),
  '|',
  await one(`export {PolygateError} from './src/index.ts'`, 'base'),
);
