/**
 * Reads the examples in `scripts/api-examples`, one file per entry point. They are for exports that need no example in an
 * editor, where their doc comments appear. The compiler checks them.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const root = new URL('../', import.meta.url);

/** Entry points whose examples are in several files. */
const entryPoints: Readonly<Record<string, string>> = {
  client: 'polygate',
  chats: 'polygate',
  errors: 'polygate',
  media: 'polygate',
  models: 'polygate',
  namespaces: 'polygate',
  options: 'polygate',
  service: 'polygate',
  telemetry: 'polygate',
  'mock-msw': 'polygate/mock/msw',
  'mock-node': 'polygate/mock/node',
  'proxy-redis': 'polygate/proxy/redis',
  'proxy-testing': 'polygate/proxy/testing',
};

/** Examples by entry point and export, such as `polygate/mock Fault`. */
export function readExamples(): Map<string, string> {
  const examples = new Map<string, string>();
  for (const path of globSync('scripts/api-examples/*.{ts,tsx}', { cwd: root })) {
    const name = basename(path).replace(/\.tsx?$/, '');
    const entryPoint = entryPoints[name] ?? `polygate/${name}`;
    const text = readFileSync(new URL(path, root), 'utf8');
    const language = path.endsWith('x') ? 'tsx' : 'ts';
    for (const [, names = '', code = ''] of text.matchAll(
      /^\/\/ For ([^\n]*)\nexport (.*?^\})$/gms,
    ))
      for (const exported of names.split(', '))
        examples.set(
          `${entryPoint} ${exported}`,
          `\`\`\`${language}\n${shown(code, language)}\`\`\``,
        );
  }
  return examples;
}

/** The statements of a function, or the function itself if it is a component or has parameters. */
function shown(code: string, language: 'ts' | 'tsx'): string {
  const [, body] = /^(?:async )?function \w+\(\) \{\n(.*)^\}$/ms.exec(code) ?? [];
  return language === 'tsx' || body === undefined ? `${code}\n` : body.replaceAll(/^ {2}/gm, '');
}
