import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { root } from './guides.ts';

/** What the compiler has to say of each file, with the settings of this repository. */
export function compile(files: string[]): Map<string, string[]> {
  const path = fileURLToPath(new URL('tsconfig.json', root));
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root), {}, path);
  // A snippet need not use all that it goes on with.
  const program = ts.createProgram(files, { ...options, noUnusedLocals: false });
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      const found = [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ];
      return [
        file,
        found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
      ];
    }),
  );
}
