import ts from 'typescript';

import { apps } from './apps.ts';

// Run by rows/types.ts in its own process: type checks one program and prints the CPU time of the process in µs.

const app = apps[process.argv[2] ?? ''];
const source = app === undefined ? 'export {};' : (app.consumer ?? app.chat ?? app.full);
const file = new URL('./consumer.ts', import.meta.url).pathname;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};
const host = ts.createCompilerHost(options);
const { fileExists, readFile } = host;
host.fileExists = (path) => path === file || fileExists(path);
host.readFile = (path) => (path === file ? source : readFile(path));

const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
if (diagnostics.length > 0) {
  console.error(ts.formatDiagnostics(diagnostics.slice(0, 5), { ...host, getNewLine: () => '\n' }));
  process.exit(1);
}
const { user, system } = process.cpuUsage();
console.log(user + system);
