import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { root } from './guides.ts';

/** Returns the compiler errors of each file, using the tsconfig of this repository. */
export function compile(files: string[]): Map<string, string[]> {
  const path = fileURLToPath(new URL('tsconfig.json', root));
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root), {}, path);
  // Snippets may leave variables of their preamble unused.
  const program = ts.createProgram(
    [...files, fileURLToPath(new URL('react.d.ts', import.meta.url))],
    {
      ...options,
      noUnusedLocals: false,
      jsx: ts.JsxEmit.Preserve,
    },
  );
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      const diagnostics = [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ];
      return [
        file,
        diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
      ];
    }),
  );
}
