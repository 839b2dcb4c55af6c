import { readFileSync } from 'node:fs';

const tests = new URL('../', import.meta.url).href;
const change =
  /\bvi\.(stub|spyOn|mock|doMock|resetModules|useFakeTimers)|\b(setupServer|setFlagsFromString)\(|\bprocess\.(on|once|chdir)\(|from '@langchain\/|^\s*(globalThis|process\.env)[.[].* = /m;
const relativeImport = /\bfrom '(\.{1,2}\/[^']+\.ts)'/g;

/**
 * Whether a test file, or a file of the tests that it imports, changes its process: globals, environment, modules,
 * listeners, flags or working directory. Importing LangChain.js adds a global.
 */
export function changesProcess(file: URL): boolean {
  const text = readFileSync(file, 'utf8');
  if (change.test(text)) return true;
  const imported = Array.from(
    text.matchAll(relativeImport),
    ([, path = '']) => new URL(path, file),
  );
  return imported.filter(({ href }) => href.startsWith(tests)).some(changesProcess);
}
