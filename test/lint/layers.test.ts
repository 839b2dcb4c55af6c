import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import config from '../../oxlint.config.ts';
import { layerRules } from '../../scripts/layer-rules.ts';
import { layers } from '../../scripts/layers.ts';

type Import = readonly [file: string, target: string];

const root = fileURLToPath(new URL('../../', import.meta.url));
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
const folders = Object.keys(layers).filter((layer) => !layer.endsWith('.ts'));
const packages = ['ky', 'zod', 'zod/mini', 'hono', 'msw', '@opentelemetry/api', 'node:fs'];

/** Returns the imports that the linter rejects. */
async function rejected(imports: readonly Import[]): Promise<Import[]> {
  const copy = await mkdtemp(join(tmpdir(), 'polygate-layers-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  // Type information would need the sources.
  await writeFile(join(copy, '.oxlintrc.json'), JSON.stringify({ ...config, options: {} }));
  const files = new Map<string, Import[]>();
  for (const line of imports) {
    const file = `src/${line[0]}`;
    files.set(file, [...(files.get(file) ?? []), line]);
  }
  for (const [file, list] of files) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    const lines = list.map((line) => `import type {} from '${specifier(...line)}';`);
    await writeFile(join(copy, file), lines.join('\n'));
  }
  // The linter fails, because it rejects some imports.
  const { stdout } = await promisify(execFile)(process.execPath, [oxlint, '--format=json'], {
    cwd: copy,
    maxBuffer: 100_000_000,
  }).catch((error: { stdout: string }) => error);
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout);
  return diagnostics
    .filter(({ code }) => code === 'eslint(no-restricted-imports)')
    .map(({ filename, labels: [label] }) => files.get(filename)?.[(label?.span.line ?? 0) - 1])
    .filter((line) => line !== undefined);
}

interface Diagnostic {
  code: string;
  filename: string;
  labels: { span: { line: number } }[];
}

/** An import of a file of `src`, or of a package, as a file of `src` writes it. */
function specifier(file: string, target: string): string {
  if (!target.endsWith('.ts')) return target;
  return relative(dirname(file), target).replace(/^(?!\.)/, './');
}

const written = (imports: readonly Import[]) =>
  imports.map(([file, target]) => `${file} imports ${target}`).toSorted();

test('the linter rejects imports that break the architecture', async () => {
  const forbidden: Import[] = [
    ['wire/types/any.ts', 'errors/base.ts'],
    ['wire/types/any.ts', 'zod/mini'],
    ['wire/schemas/any.ts', 'errors/base.ts'],
    ['wire/schemas/any.ts', 'zod'],
    ['wire/endpoints/any.ts', 'client/call/failure/retry.ts'],
    ['errors/any.ts', 'client/http/headers.ts'],
    ['client/config/any.ts', 'client/http/headers.ts'],
    ['client/http/any.ts', 'ky'],
    ['client/limits/any.ts', 'client/call/failure/retry.ts'],
    ['client/call/any.ts', 'client/tasks/task.ts'],
    ['client/call/any.ts', 'node:fs'],
    ['client/stream/any.ts', 'eventsource-parser'],
    ['client/chat/any.ts', 'client/tasks/task.ts'],
    ['client/tasks/any.ts', 'client/batch/row/row.ts'],
    ['client/batch/any.ts', 'resources/videos.ts'],
    ['resources/any.ts', 'client.ts'],
    ['client.ts', 'index.ts'],
    ['chat.ts', 'client.ts'],
    ['integrations/proxy/any.ts', 'client/http/headers.ts'],
    ['integrations/proxy/any.ts', 'index.ts'],
    ['integrations/node/any.ts', 'index.ts'],
    ['integrations/otel/any.ts', 'client/call/failure/retry.ts'],
    ['tools/doctor/free/any.ts', 'client/call/failure/retry.ts'],
    ['tools/doctor/paid/any.ts', 'node:fs'],
    ['tools/doctor/run/any.ts', 'tools/doctor/paid/chat.ts'],
    ['mock/any.ts', 'client/call/failure/retry.ts'],
    ['mock/routes/any.ts', 'wire/endpoints/index.ts'],
    ['mock/routes/any.ts', 'node:fs'],
    ['tools/cli/doctor/any.ts', 'client.ts'],
  ];
  expect(written(await rejected(forbidden))).toEqual(written(forbidden));
});

test.each([
  ['in the folder of a layer', 'any.ts'],
  ['in a nested folder', 'a/b/c/any.ts'],
])(
  'the linter allows a file %s the imports that its layer lists, and no other',
  async (_, name) => {
    const targets = [...folders.map((folder) => `${folder}/probe.ts`), 'client.ts', ...packages];
    const imports = folders.flatMap((layer) =>
      targets.map((target): Import => [`${layer}/${name}`, target]),
    );
    const isListed = ([file, target]: Import) => {
      const layer = file.slice(0, -name.length - 1);
      const own = target.endsWith('.ts') ? [layer] : [];
      return [...own, ...(layers[layer] ?? [])].some(
        (entry) => target.startsWith(`${entry}/`) || matchesGlob(target, entry),
      );
    };
    const expected = imports.filter((line) => !isListed(line));
    expect(written(await rejected(imports))).toEqual(written(expected));
  },
);

test('the linter has a rule for every file of src', () => {
  const rules = layerRules.flatMap(({ files }) => files);
  const without = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !rules.some((rule) => matchesGlob(file, rule)),
  );
  expect(without).toEqual([]);
});
