import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { root } from './guides.ts';

/**
 * Returns the compiler errors of each file, using the tsconfig of this repository. In plain JavaScript, parameters need
 * no types, but the calls of the client are checked all the same.
 */
export function compile(files: string[]): Map<string, string[]> {
  const path = fileURLToPath(new URL('tsconfig.json', root));
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root), {}, path);
  const engines = fileURLToPath(new URL('engines.d.ts', import.meta.url));
  const program = ts.createProgram([...files, engines], {
    ...options,
    allowJs: true,
    checkJs: true,
    noUnusedLocals: false,
    jsx: ts.JsxEmit.ReactJSX,
  });
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      const diagnostics = [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ].filter(({ code }) => !(file.endsWith('.mjs') && isImplicitAny(code)));
      return [
        file,
        diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
      ];
    }),
  );
}

const isImplicitAny = (code: number) => code >= 7000 && code < 7100;
