/** Runs the examples and writes what they print to docs/site/outputs.json, which the site shows below their source. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

/** Examples that end by themselves. The others are servers, tests and parts of an app. */
const names = Array.from(
  readFileSync(new URL('examples/README.md', root), 'utf8').matchAll(/\]\(([\w-]+)\.ts\)/g),
  ([, name = '']) => name,
).filter((name) => !/^(?:next-route|proxy-hono)$/.test(name));

/** An output without repeated lines, and of a long one, the beginning and the end. */
function shorten(text: string): string {
  const lines = text.trimEnd().split('\n');
  const distinct = lines.filter((line, index) => line !== lines[index - 1] || line === '');
  const isLong = distinct.length > 90;
  return (isLong ? [...distinct.slice(0, 12), '…', ...distinct.slice(-8)] : distinct).join('\n');
}

const cwd = mkdtempSync(join(tmpdir(), 'polygate-examples-'));
const fromSource = new URL('test/from-source.ts', root).href;
const outputs: Record<string, string> = {};
for (const name of [...names, 'demo']) {
  const args = ['--import', fromSource, fileURLToPath(new URL(`examples/${name}.ts`, root))];
  const env = { ...process.env, NO_COLOR: '1' };
  outputs[name] = shorten(execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8' }));
}
rmSync(cwd, { recursive: true });
const file = new URL('docs/site/outputs.json', root);
writeFileSync(file, `${JSON.stringify(outputs, undefined, 2)}\n`);
