import ts from 'typescript';

import { apps } from './apps.ts';

// Run by rows/types.ts in a process of its own: type checks one consumer, and tells the CPU time of the process, µs.

const app = apps[process.argv[2] ?? ''];
const source = app === undefined ? 'export {};' : (app.consumer ?? app.chat ?? app.whole);
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

const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
if (problems.length > 0) {
  console.error(ts.formatDiagnostics(problems.slice(0, 5), { ...host, getNewLine: () => '\n' }));
  process.exit(1);
}
const { user, system } = process.cpuUsage();
console.log(user + system);
