import { resolve } from 'node:path';

import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');
export const entry = resolve(root, 'src/index.ts');
/** The file of the program that imports the sources. It exists only in memory. */
export const consumer = resolve(root, 'test/types/consumer.ts');
/** The contents of the files on disk. */
const files = new Map<string, ts.IScriptSnapshot>();
let consumed = '';
let version = 0;

const config = ts.getParsedCommandLineOfConfigFile(
  resolve(root, 'tsconfig.json'),
  {},
  // The files are those of the service; a search for others takes longer than a test.
  { ...ts.sys, readDirectory: () => [], onUnRecoverableConfigFileDiagnostic: () => undefined },
);

const service = ts.createLanguageService({
  ...ts.sys,
  getCompilationSettings: () => config?.options ?? {},
  getScriptFileNames: () => [entry, consumer],
  getScriptVersion: (file) => (file === consumer ? String(version) : ''),
  getScriptSnapshot(file) {
    if (file === consumer) return ts.ScriptSnapshot.fromString(consumed);
    const known = files.get(file) ?? ts.ScriptSnapshot.fromString(ts.sys.readFile(file) ?? '');
    files.set(file, known);
    return known;
  },
  getCurrentDirectory: () => root,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});

/**
 * The language service as editors use it, for the sources of the package and a program that imports them. There is one for
 * all programs, as in an editor in which the program is changed: it answers for the last one.
 */
export function serviceOf(program = ''): ts.LanguageService {
  if (program !== consumed) version += 1;
  consumed = program;
  return service;
}
