/**
 * Measures how much longer a small program takes to type-check with 100 and 2,000 models in the generated declaration
 * file than with none. Needs a build. Exits with 1 if a ratio is 1.10 or more.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import ts from 'typescript';

import { declarationOf } from '../src/tools/cli/types-declaration.ts';
import type { Catalog } from '../src/tools/cli/types-declaration.ts';

const sizes = [0, 100, 2000];
const rounds = 8;
const maxRatio = 1.1;
const root = join(import.meta.dirname, '..');
const types = ['chat', 'image', 'video', 'audio'];

const program = `
import { Polygate } from 'polygate';
const gateway = new Polygate();
const messages = [{ role: 'user' as const, content: 'Hi' }];
export const calls = () => [
  gateway.images.generate({ model: 'image-model-0', prompt: 'p', resolution: '1K' }),
  gateway.images.submit({ model: 'image-model-1', image: 'u' }),
  gateway.videos.generate({ model: 'video-model-0', prompt: 'p' }),
  gateway.audio.speech.generate({ model: 'audio-model-0', text: 't' }),
  gateway.chat.completions.create({ model: 'chat-model-0', messages }),
  gateway.chat.completions.stream({ model: 'chat-model-1', messages }),
];
`;

/** A catalog with a number of models, evenly spread over the types. */
function catalogOf(size: number): Catalog {
  return new Map(
    types.map((type) => {
      const ids = Array.from(
        { length: size / types.length },
        (_, index) => `${type}-model-${index}`,
      );
      const entry = { price: '0.02 USD per image', resolutions: ['1K', '2K', '4K'] };
      return [type, new Map(ids.map((id) => [id, entry]))];
    }),
  );
}

/** The files of a program with a number of models. */
function filesOf(size: number): ReadonlyMap<string, string> {
  const files = new Map([[join(root, 'check.ts'), program]]);
  if (size > 0) files.set(join(root, 'check.models.d.ts'), declarationOf(catalogOf(size)));
  return files;
}

/** Checks a program. */
function check(files: ReadonlyMap<string, string>): void {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  // Like `tsc`, which does not read comments that affect no types.
  const jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const disk = Object.assign(ts.createCompilerHost(options), { jsDocParsingMode });
  const host: ts.CompilerHost = {
    ...disk,
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    getSourceFile: (name, ...others) => {
      const text = files.get(name);
      return text === undefined
        ? disk.getSourceFile(name, ...others)
        : ts.createSourceFile(name, text, {
            languageVersion: ts.ScriptTarget.ES2022,
            jsDocParsingMode,
          });
    },
  };
  const [error] = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
}

/** The CPU time in milliseconds of a check in a process of its own, with its start, as `tsc` does it. */
function timeOfProcess(size: number): number {
  const output = execFileSync(process.execPath, [import.meta.filename, String(size)], {
    cwd: root,
  });
  return Number(output);
}

const [, , only] = process.argv;
if (only === undefined) compare();
else {
  const start = process.cpuUsage();
  const files = filesOf(Number(only));
  const generation = process.cpuUsage(start);
  check(files);
  const { user, system } = process.cpuUsage();
  console.log((user + system - generation.user - generation.system) / 1000);
}

function compare(): void {
  // The fastest of several rounds: other programs on the machine only ever add time.
  const fastest = new Map(sizes.map((size) => [size, Infinity]));
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) {
      fastest.set(size, Math.min(fastest.get(size) ?? Infinity, timeOfProcess(size)));
    }
  }
  const base = fastest.get(0) ?? Infinity;
  for (const [size, time] of fastest) {
    const ratio = (time / base).toFixed(3);
    console.log(`${size} models: ${Math.round(time)} ms, ${ratio} times as long as without`);
    if (time / base >= maxRatio) process.exitCode = 1;
  }
}
