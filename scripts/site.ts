/**
 * TypeDoc plugin that prepares the API reference of the site: entry points have the names that users import, the exports
 * of the client are in groups, and each page begins with what its export is and how to import it.
 */
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  DeclarationReflection,
  LiteralType,
  PageEvent,
  OptionDefaults,
  ReflectionKind,
  UnionType,
} from 'typedoc';
import type { Context, Reflection } from 'typedoc';

import { errorCodes } from '../src/wire/codes.ts';
import { readExamples } from './api-example-files.ts';
import { groupOf, namespaces, parameters } from './api-names.ts';
import { joinConditions, splitConditions } from './api-overloads.ts';
import { openTag, schemaTags } from './schema-tags.ts';

/** Import name and description of each entry point, by its folder or file, without the room it is in. */
const entryPoints: Readonly<Record<string, [name: string, description: string]>> = {
  index: ['polygate', 'The client, its errors and its types. Runs wherever `fetch` is available.'],
  chat: ['polygate/chat', 'A chat-only client for pages that must stay small.'],
  'ai-sdk': ['polygate/ai-sdk', 'A provider for AI SDK 7.'],
  bullmq: ['polygate/bullmq', 'Batches across machines, on Redis with BullMQ. Requires Node.js.'],
  doctor: [
    'polygate/doctor',
    'Checks how a service behaves, and which options to set. Also a command: `npx polygate doctor`.',
  ],
  proxy: [
    'polygate/proxy',
    'A server route through which pages use the gateway without the API key.',
  ],
  'proxy/redis': [
    'polygate/proxy/redis',
    'The limits and owners of the proxy in Redis or Valkey, for several processes.',
  ],
  'proxy/testing': [
    'polygate/proxy/testing',
    'The tests that a store of your own for the proxy has to pass.',
  ],
  react: [
    'polygate/react',
    'Hooks for chats, and for generations that survive a reload. Requires React 18 or 19.',
  ],
  journal: [
    'polygate/journal',
    'A file that records submits, for batches that survive crashes. Requires a file system.',
  ],
  node: ['polygate/node', 'Saves results to files. Requires a file system.'],
  otel: ['polygate/otel', 'Spans and metrics for OpenTelemetry.'],
  schemas: ['polygate/schemas', 'zod schemas of request bodies, records and receipts.'],
  mock: ['polygate/mock', 'The reference gateway as a `fetch` function, for tests.'],
  'mock/node': [
    'polygate/mock/node',
    'The reference gateway as an HTTP server. Requires server sockets.',
  ],
  'mock/msw': [
    'polygate/mock/msw',
    'The reference gateway as Mock Service Worker request handlers.',
  ],
};

/** What the first page is for. */
const whole =
  'All exports, by the path to import them from. Most programs need only `polygate`: it has the client and the methods of each namespace, such as `gateway.images`.';

/** Entry point of the plugin. */
export function load(application: Application): void {
  const { converter, options, renderer } = application;
  // The options are read after plugins are loaded.
  application.on(Application.EVENT_BOOTSTRAP_END, () => {
    const tags = [...schemaTags, openTag].map((name) => `@${name}` as const);
    options.setValue('blockTags', [...OptionDefaults.blockTags, ...tags]);
    options.setValue('excludeTags', [...OptionDefaults.excludeTags, ...tags]);
  });
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, module) => {
    if (module.kindOf(ReflectionKind.Module)) configureEntryPoint(module);
  });
  converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => describeExports(context), 1_000);
  renderer.on(PageEvent.END, (page) => {
    const { model, contents = '' } = page;
    if (model instanceof DeclarationReflection && model.kindOf(ReflectionKind.Module))
      page.contents = contents.replaceAll(/(?<=\|\n)(?:\| \[.*\n)+/g, namespacesFirst);
    else if (model instanceof DeclarationReflection) page.contents = memberPage(contents, model);
    else page.contents = contents.replace(/^# .*\n/, `$&\n${whole}\n`);
  });
}

/** The page of an export. What it extends comes last. */
function memberPage(contents: string, model: DeclarationReflection): string {
  const [intro = '', ...sections] = withoutCondition(contents).split(/^(?=## )/m);
  const name = namespaces[model.name];
  if (name !== undefined) return namespacePage(name, intro, sections, importOf(model));
  const isLast = (section: string) => /^## (?:Extend|Implement)/.test(section);
  return [
    intro.replace(/^# .*\n/, (title) => title + importOf(model)),
    ...sections.filter((section) => !isLast(section)),
    ...sections.filter(isLast),
  ].join('');
}

/** The page of a namespace: what it is for, an example, a list of its methods, each method, and its type. */
function namespacePage(
  name: string,
  intro: string,
  sections: readonly string[],
  importText: string,
): string {
  const named = (title: string) => sections.find((section) => section.startsWith(`## ${title}\n`));
  const methods = named('Methods')?.replace(/^## Methods\n/, '') ?? '';
  const rows = methods.split(/^(?=### )/m).flatMap((section) => {
    const [, method] = /^### (\w+)\(\)/.exec(section) ?? [];
    const [text = ''] = /^[A-Z`][^]*?(?=\n\n|\.\s)/m.exec(section) ?? [];
    const cell = text.replaceAll('\n', ' ').replaceAll('|', '\\|').replace(/\.?$/, '.');
    return method === undefined
      ? []
      : [`| [\`${method}()\`](#${method.toLowerCase()}) | ${cell} |`];
  });
  return [
    intro.replace(/^# .*\n/, `# ${name}\n`),
    named('Example') ?? '',
    rows.length > 0
      ? `## Methods\n\n| Method | What it does |\n| --- | --- |\n${rows.join('\n')}\n\n`
      : '',
    methods,
    named('Properties') ?? '',
    `\n## Type\n${importText}\n`,
    named('Type Parameters')?.replace(/^## .*\n/, '') ?? '',
    named('Extends')?.replace(/^## .*\n/, 'It extends:\n') ?? '',
  ].join('');
}

/** Leaves out the definition of a conditional type, whose description lists what it can be. */
function withoutCondition(contents: string): string {
  return contents.replace(/^(> \*\*\w+\*\*\S*(?: `\w+`\\>)?) = .*\*extends\*.*$/m, '$1');
}

/** The rows of a table of exports, with the client and its namespaces, by the names by which users use them, first. */
function namespacesFirst(rows: string): string {
  const named = rows.split(/(?<=\n)/).map((line) => {
    const [, name = ''] = /^\| \[(\w+)\]/.exec(line) ?? [];
    const used = namespaces[name];
    const rank = /^(?:Polygate|ChatClient)$/.test(name) ? 0 : used === undefined ? 2 : 1;
    return { rank, line: used === undefined ? line : line.replace(name, used) };
  });
  return named
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ line }) => line)
    .join('');
}

/** Groups the exports of the client, and adds descriptions and examples where the source has none. */
function describeExports(context: Context): void {
  splitConditions(context.project);
  joinConditions(context.project);
  const written = readExamples();
  const exported = new Set<string>();
  const examples = examplesByType(context);
  for (const reflection of Object.values(context.project.reflections)) {
    if (reflection.kindOf(ReflectionKind.Parameter)) {
      const text = parameters[reflection.name];
      if (text !== undefined && !reflection.hasComment())
        reflection.comment = new Comment([{ kind: 'text', text }]);
    }
    const { name, parent } = reflection;
    // In the source, the keys of a table that is not public.
    if (name === 'KnownErrorCode' && reflection instanceof DeclarationReflection)
      reflection.type = new UnionType(Object.keys(errorCodes).map((code) => new LiteralType(code)));
    // Symbols through which errors of two copies of the package recognize each other.
    if (name === '[brand]' || name === '[inspect]') context.project.removeReflection(reflection);
    if (parent?.kindOf(ReflectionKind.Module) !== true) continue;
    const ownExample = written.get(`${parent.name} ${name}`);
    if (ownExample !== undefined) addExample(reflection, ownExample);
    exported.add(`${parent.name} ${name}`);
    if (!/^polygate(\/chat)?$/.test(parent.name)) continue;
    const comment = (reflection.comment ??= new Comment());
    comment.blockTags.push(tag('@group', groupOf(sourceOf(reflection, context))));
    const example = isErrorClass(reflection) ? exampleOfError(name) : examples.get(name);
    if (example !== undefined && !hasExample(reflection)) addExample(reflection, example);
  }
  for (const name of written.keys())
    if (!exported.has(name))
      throw new Error(`There is an example for ${name}, which is not exported`);
}

/** Adds an example to an export, before those of its doc comment. */
function addExample(reflection: Reflection, text: string): void {
  const comment = (documented(reflection).comment ??= new Comment());
  const first = comment.blockTags.findIndex((other) => other.tag === '@example');
  comment.blockTags.splice(
    first === -1 ? comment.blockTags.length : first,
    0,
    tag('@example', text),
  );
}

const hasExample = (reflection: Reflection) =>
  documented(reflection).comment?.getTag('@example') !== undefined;

/** What has the doc comment of an export: its first signature if it is a function. */
function documented(reflection: Reflection): Reflection {
  const isFunction = reflection.isDeclaration() && reflection.kindOf(ReflectionKind.Function);
  return (isFunction && reflection.signatures?.[0]) || reflection;
}

function tag(name: `@${string}`, text: string): CommentTag {
  return new CommentTag(name, [{ kind: 'text', text }]);
}

function sourceOf(reflection: Reflection, context: Context): string {
  const declarations = context.getSymbolFromReflection(reflection)?.declarations ?? [];
  return declarations[0]?.getSourceFile().fileName ?? '';
}

/** The example of the first method that takes or returns a type, by the name of the type. */
function examplesByType({ project }: Context): Map<string, string> {
  const examples = new Map<string, string>();
  for (const method of project.getReflectionsByKind(ReflectionKind.CallSignature)) {
    const example = method.isSignature() && method.comment?.getTag('@example');
    if (!example || !/^polygate(?:\/chat)?$/.test(entryPointOf(method))) continue;
    const types = [method.type, ...(method.parameters ?? []).map(({ type }) => type)];
    const names = types.flatMap((type) => String(type).match(/[A-Z]\w+/g) ?? []);
    const text = Comment.combineDisplayParts(example.content);
    for (const name of names) if (!examples.has(name)) examples.set(name, text);
  }
  // What a type consists of has the example of the type. `ChatUsage` is in `ChatCompletion`, for example.
  const types = project.getReflectionsByKind(ReflectionKind.TypeAlias | ReflectionKind.Interface);
  for (let depth = 0; depth < 4; depth += 1) {
    for (const type of types) {
      const example = examples.get(type.name);
      if (example === undefined || !type.isDeclaration()) continue;
      const parts = [type.type, ...(type.children ?? []).map((child) => child.type)];
      for (const name of parts.flatMap((part) => String(part).match(/[A-Z]\w+/g) ?? []))
        if (!examples.has(name)) examples.set(name, example);
    }
  }
  return examples;
}

function entryPointOf(reflection: Reflection): string {
  let entry: Reflection | undefined = reflection;
  while (entry && !entry.kindOf(ReflectionKind.Module)) entry = entry.parent;
  return entry?.name ?? '';
}

/** `TaskError`, for example, is a record of the service. */
const isErrorClass = (reflection: Reflection) =>
  reflection.kindOf(ReflectionKind.Class) && reflection.name.endsWith('Error');

function exampleOfError(name: string): string {
  return [
    '```ts',
    'try {',
    "  await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });",
    '} catch (error) {',
    `  if (!${name}.is(error)) throw error;`,
    '  console.log(error.outcome, error.message);',
    '}',
    '```',
  ].join('\n');
}

function configureEntryPoint(module: DeclarationReflection): void {
  const [name, description] =
    entryPoints[module.name.replace(/^(?:integrations|tools|wire)\//, '')] ?? [];
  if (name === undefined || description === undefined)
    throw new Error(`No import name is defined for the entry point ${module.name}`);
  module.name = name;
  module.comment = new Comment([{ kind: 'text', text: description }]);
}

/** How to import an export. Classes, functions and variables also exist at run time. */
function importOf(member: DeclarationReflection): string {
  if (member.parent?.kindOf(ReflectionKind.Module) !== true) return '';
  const isValue = member.kindOf([
    ReflectionKind.Class,
    ReflectionKind.Function,
    ReflectionKind.Variable,
  ]);
  return `\n\`\`\`ts\nimport ${isValue ? '' : 'type '}{ ${member.name} } from '${member.parent.name}';\n\`\`\`\n`;
}
