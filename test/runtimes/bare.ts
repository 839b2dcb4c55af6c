import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';

import { bundle } from './page-server.ts';
import type { LaunchOptions } from './runtime.ts';

/** Reads the globals that docs/runtimes.md requires of any other runtime. */
export async function requiredGlobals(guide: URL): Promise<string[]> {
  const list = /<!-- globals -->(.*?)<!-- end -->/s.exec(await readFile(guide, 'utf8'))?.[1] ?? '';
  return Array.from(list.matchAll(/`(\w+)[^`]*`/g), ([, name = '']) => name);
}

/** Runs the scenario in a context whose only globals are those of the language and the named ones. */
export async function runBare(
  { app, ...options }: LaunchOptions,
  names: string[],
): Promise<unknown> {
  const source = Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));
  const script = (await bundle('scenario.js', app)).replace(/^export \{[^}]*\};?$/m, '');
  const context = createContext(source);
  runInContext(script, context);
  const report = runInContext(`scenario(${JSON.stringify(options)})`, context);
  return JSON.parse(JSON.stringify(await report));
}
