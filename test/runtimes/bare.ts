import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';

import { bundled } from './page-server.ts';
import type { Stage } from './runtimes.ts';

/** The globals that the guide asks of a runtime that is not in its table. */
export async function namedGlobals(guide: URL): Promise<string[]> {
  const list = /<!-- globals -->(.*?)<!-- end -->/s.exec(await readFile(guide, 'utf8'))?.[1] ?? '';
  return Array.from(list.matchAll(/`(\w+)[^`]*`/g), ([, name = '']) => name);
}

/** Does the scenario where nothing is global but the language itself and what is named. */
export async function runBare({ app, ...options }: Stage, names: string[]): Promise<unknown> {
  const { getRandomValues } = crypto;
  const source: Record<string, unknown> = {
    ...Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)])),
    crypto: { getRandomValues: getRandomValues.bind(crypto) },
  };
  const script = (await bundled('scenario.js', app)).replace(/^export \{[^}]*\};?$/m, '');
  const context = createContext(source);
  runInContext(script, context);
  const report = runInContext(`scenario(${JSON.stringify(options)})`, context);
  return JSON.parse(JSON.stringify(await report));
}
