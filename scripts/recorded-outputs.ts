/** What the examples print, and which of it differs from run to run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = new URL('../', import.meta.url);

/** What the site shows, by the name of the example. */
export const outputsFile = new URL('docs/site/outputs.json', root);

/** Examples that end by themselves. The others are servers, tests and parts of an app. */
const names = [
  ...Array.from(
    readFileSync(new URL('examples/README.md', root), 'utf8').matchAll(/\]\(([\w-]+)\.ts\)/g),
    ([, name = '']) => name,
  ).filter((name) => !/^(?:next-route|proxy-hono)$/.test(name)),
  'demo',
];

/** Runs the examples, and returns what each has printed. */
export async function runExamples(): Promise<Record<string, string>> {
  const cwd = mkdtempSync(join(tmpdir(), 'polygate-examples-'));
  const fromSource = new URL('test/from-source.ts', root).href;
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const outputs: Record<string, string> = {};
  for (const name of names) {
    const args = ['--import', fromSource, fileURLToPath(new URL(`examples/${name}.ts`, root))];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
    outputs[name] = shorten(stdout);
  }
  rmSync(cwd, { recursive: true });
  return outputs;
}

/** An output without repeated lines, and of a long one, the beginning and the end. */
function shorten(text: string): string {
  const lines = text.trimEnd().split('\n');
  const distinct = lines.filter((line, index) => line !== lines[index - 1] || line === '');
  const isLong = distinct.length > 90;
  return (isLong ? [...distinct.slice(0, 12), '…', ...distinct.slice(-8)] : distinct).join('\n');
}

/** What is different in each run, and what is compared instead. */
const varying: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(task|mat|req|voice)_\w+/g, '$1_ID'],
  [/asset:\/\/\w+/g, 'asset://ID'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/expires=\d+/g, 'expires=TIME'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\bprocess \d{2,}/g, 'process PID'],
  [/[\d.]+ m?s\b/g, 'DURATION'],
];

/** Examples that run several tasks or processes at a time: the order of their lines and their counts differ. */
const concurrent = /^(?:batch|batch-chats|crash-and-recover|demo|trace-lost-response)$/;

/** Lines that are printed only if a step takes long enough, or ends before another one. */
const occasional =
  /running \d+%|status running|charges on the invoice|without a response|waited for|resubmitted with|paid for by process/;

/** An output without what differs from run to run. Only changes of the code or of the example change it. */
export function stablePart(name: string, output: string): string[] {
  const lines = output
    .split('\n')
    .filter((line) => !occasional.test(line))
    .map((line) =>
      varying.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), line),
    );
  if (!concurrent.test(name)) return lines;
  const counted = lines.map((line) =>
    line
      .replaceAll(/\b[\da-f]{6,}…|[\d.]*\d/g, 'N')
      .replaceAll(/[█◆]|\s+/g, ' ')
      .trim(),
  );
  return Array.from(new Set(counted)).toSorted();
}
