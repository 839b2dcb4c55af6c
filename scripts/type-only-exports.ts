/**
 * The declaration bundler exports type-only classes as values that do not exist at run time. This script changes such
 * exports to `export type`, so that the declarations of each entry point match its JavaScript. It also adds the library
 * with `Symbol.asyncDispose` where it is used, because programs for ES2023 do not have it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

for (const entry of [
  'index',
  'chat',
  'ai-sdk',
  'bullmq',
  'doctor',
  'proxy/index',
  'proxy/redis',
  'proxy/testing',
  'journal',
  'node',
  'otel',
  'schemas',
  'mock/index',
  'mock/node',
  'mock/msw',
]) {
  const file = new URL(`../dist/${entry}.d.ts`, import.meta.url);
  const module: object = await import(new URL(`../dist/${entry}.js`, import.meta.url).href);
  const declarations = readFileSync(file, 'utf8').replace(
    /^export \{ (.*) \}( from '.*')?;$/gm,
    (_, list: string, from = '') => {
      const names = list.split(', ');
      const isValue = (name: string) => name.replace(/^.* as /, '') in module;
      const values = names.filter((name) => isValue(name));
      const types = names.filter((name) => !isValue(name));
      return [
        values.length > 0 ? `export { ${values.join(', ')} }${from};` : '',
        types.length > 0 ? `export type { ${types.join(', ')} }${from};` : '',
      ]
        .filter(Boolean)
        .join('\n');
    },
  );
  const library = declarations.includes('Symbol.asyncDispose')
    ? '/// <reference lib="esnext.disposable" />\n'
    : '';
  writeFileSync(file, library + declarations);
}
