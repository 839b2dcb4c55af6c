import { resolve } from 'node:path';

import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');
export const entry = resolve(root, 'src/index.ts');
/** The file of the program that imports the sources. It exists only in memory. */
export const consumer = resolve(root, 'test/types/consumer.ts');
/** Parsed files, shared by all services. */
const documents = ts.createDocumentRegistry();

/** A language service as editors use it, for the sources of the package and a program that imports them. */
export function createService(program = ''): ts.LanguageService {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(resolve(root, 'tsconfig.json'), {}, host);
  const read = (file: string) => (file === consumer ? program : ts.sys.readFile(file));
  return ts.createLanguageService(
    {
      ...ts.sys,
      getCompilationSettings: () => config?.options ?? {},
      getScriptFileNames: () => [entry, consumer],
      getScriptVersion: (file) => (file === consumer ? program : ''),
      getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(read(file) ?? ''),
      getCurrentDirectory: () => root,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    },
    documents,
  );
}
