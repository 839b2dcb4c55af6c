import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { consumer, serviceOf, entry } from './language-service.ts';

/** What an editor shows when the pointer is on a name. */
interface Hover {
  name: string;
  signature: string;
  /** Types that the signature names. */
  types: string[];
  docs: string;
  examples: string[];
}

const preamble =
  "import { Polygate } from '../../src/index.ts';\nconst gateway = new Polygate();\n";

/** Calls with the params of each interface, the least that they need, and other fields that can be given instead. */
const calls: Readonly<
  Record<
    string,
    {
      call: string;
      given: Readonly<Record<string, string>>;
      alternatives?: Readonly<Record<string, string>>[];
    }
  >
> = {
  ImageParams: {
    call: 'gateway.images.generate',
    given: { model: "'m'", prompt: "'p'" },
    alternatives: [
      { model: "'m'", image: "'u'" },
      { model: "'m'", reference_image_urls: "['u']" },
    ],
  },
  VideoParams: {
    call: 'gateway.videos.submit',
    given: { model: "'m'", prompt: "'p'" },
    alternatives: [{ model: "'m'", content: '[]' }],
  },
  MusicParams: {
    call: 'gateway.audio.music.generate',
    given: { model: "'m'", prompt: "'p'" },
  },
  SpeechParams: {
    call: 'gateway.audio.speech.generate',
    given: { model: "'m'", text: "'t'" },
    alternatives: [{ model: "'m'", input: "'t'" }],
  },
  VoiceCloneParams: { call: 'gateway.voices.clone', given: { audio_url: "'u'" } },
  VoiceDesignParams: {
    call: 'gateway.voices.design',
    given: { prompt: "'p'", preview_text: "'t'" },
    alternatives: [{ prompt: "'p'", text: "'t'" }],
  },
  ChatParams: {
    call: 'gateway.chat.completions.create',
    given: { model: "'m'", messages: '[]' },
  },
};

const mainMethods = [
  ...['create', 'stream', 'parse', 'run'].map((name) => `chat.completions.${name}`),
  ...['images', 'videos', 'audio.music', 'audio.speech'].flatMap((namespace) =>
    ['submit', 'submission', 'generate'].map((name) => `${namespace}.${name}`),
  ),
  ...['list', 'clone', 'design'].map((name) => `voices.${name}`),
  'materials.register',
  'models.list',
  'models.retrieve',
  'account.retrieve',
  'batch',
  'recover',
  'resume',
  'download',
  'images.wait',
];

const exportedNames = new Set<string>();
const sources = serviceOf();
const declarations = hoversOfDeclarations();
const uses = hoversOfUses();

describe('an editor', () => {
  test('knows every namespace and its methods', () => {
    const names = declarations.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Polygate.batch', 'TaskNamespace.wait']));
    expect(names).toContain('ChatParams.temperature');
    expect(names.length).toBeGreaterThan(500);
    const paths = uses.map(({ name }) => name);
    expect(paths).toEqual(expect.arrayContaining(['gateway.images.wait', 'gateway.resume']));
    expect(paths).toContain('gateway.chat.completions.create');
    expect(paths.length).toBeGreaterThan(50);
  });

  test('shows only types that users can import', () => {
    const hidden = [...declarations, ...uses].flatMap(({ name, types }) =>
      types.filter((type) => !isKnown(type)).map((type) => `${name}: ${type}`),
    );
    expect(hidden).toEqual([]);
  });

  test('shows documentation of every method', () => {
    expect(uses.filter(({ docs }) => docs === '').map(({ name }) => name)).toEqual([]);
  });

  test('shows what things mean, not where the specification or a list of assumptions has them', () => {
    const references = [...declarations, ...uses].filter(({ docs }) =>
      /Specification: |assumptions? A\d/i.test(docs),
    );
    expect(references.map(({ name, docs }) => `${name}: ${docs}`)).toEqual([]);
  });

  test('shows documentation of every field where a program sets it, even if one of several is required', () => {
    const empty = Object.entries(calls).flatMap(([name, { call, given, alternatives = [] }]) => {
      const fields = fieldsOf(name);
      expect(fields.length).toBeGreaterThan(1);
      return [given, ...alternatives].flatMap((required) => {
        const params = [...new Set([...Object.keys(required), ...fields])];
        const literal = params.map((field) => `${field}: ${required[field] ?? 'value'},`).join(' ');
        const program = `${preamble}declare const value: never;\nvoid ${call}({ ${literal} });`;
        const service = serviceOf(program);
        return params.filter((field) => {
          const position = program.lastIndexOf(` ${field}: `) + 1;
          return !hoverAt(service, consumer, position, field)?.docs;
        });
      });
    });
    expect(empty).toEqual([]);
  });

  test('shows an example of every main method, and each of them compiles', () => {
    const examples = uses.flatMap(({ examples: texts, name }) =>
      texts.map((text) => [name, text.replaceAll(/^```ts\n|\n```$/g, '')] as const),
    );
    const names = examples.map(([name]) => name.replace('gateway.', ''));
    expect(names).toEqual(expect.arrayContaining(mainMethods));
    const program = `
      import { z } from 'zod';
      import { fileJournal } from '../../src/integrations/journal/index.ts';
      ${preamble}
      declare function store(text: string): Promise<void>;
      ${examples.map(([name, text]) => `export async function ${name.replaceAll('.', '_')}() {\n${text}\n}`).join('\n')}`;
    const errors = serviceOf(program).getSemanticDiagnostics(consumer);
    expect(
      errors
        .filter(({ reportsUnnecessary }) => !reportsUnnecessary)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ).toEqual([]);
  });

  test('shows the result of a call, not the condition that it depends on', () => {
    const messages = 'messages: []';
    expect(hoverIn('gateway.chat.completions.create', `({ model: 'm', ${messages} })`)).toMatch(
      /RequestPromise<ChatCompletion>$/,
    );
    expect(
      hoverIn('gateway.chat.completions.create', `({ model: 'm', ${messages}, stream: true })`),
    ).toMatch(/RequestPromise<Stream<ChatCompletionChunk>>$/);
    expect(hoverIn('gateway.chat.completions.stream', `({ model: 'm', ${messages} })`)).toMatch(
      /ChatStream<ChatCompletion, unknown>$/,
    );
    expect(hoverIn('gateway.models.list', "({ style: 'gemini' })")).toMatch(
      /RequestPromise<GeminiModelList>$/,
    );
    expect(hoverIn('gateway.resume', "(JSON.parse(''))")).toMatch(/Task<TaskKind>$/);
    expect(hoverIn('gateway.images.generate', "({ model: 'm', prompt: 'p' })")).toMatch(
      /RequestPromise<SucceededGeneration<"image">>$/,
    );
  });
});

/** Returns the signature that an editor shows for a method at a call. */
function hoverIn(method: string, call: string): string | undefined {
  const service = serviceOf(`${preamble}void ${method}${call};`);
  const position = preamble.length + 'void '.length + method.lastIndexOf('.') + 1;
  return hoverAt(service, consumer, position, method)?.signature;
}

/** Whether users can name the type: the package exports it, or the language or the platform declares it. */
function isKnown(type: string): boolean {
  if (exportedNames.has(type)) return true;
  const flags = ts.SymbolFlags.Type | ts.SymbolFlags.Namespace;
  return checkerOf(sources).resolveName(type, undefined, flags, false) !== undefined;
}

/** The names of the fields of an exported interface. */
function fieldsOf(name: string): string[] {
  return declarations.flatMap((hover) =>
    hover.name.startsWith(`${name}.`) ? hover.name.split('.').slice(1, 2) : [],
  );
}

/** The hovers of all exports and their public members, where they are declared. Those of ky are not ours. */
function hoversOfDeclarations(): Hover[] {
  const checker = checkerOf(sources);
  const visited = new Set<ts.Symbol>();
  const all: Hover[] = [];
  const visit = (symbol: ts.Symbol, name: string): void => {
    if (visited.has(symbol)) return;
    visited.add(symbol);
    for (const declaration of symbol.declarations ?? []) {
      const node = ts.getNameOfDeclaration(declaration);
      if (node === undefined || !isPublic(declaration)) continue;
      const { fileName } = declaration.getSourceFile();
      if (!fileName.includes('/src/')) continue;
      const hover = hoverAt(sources, fileName, node.getStart(), name);
      if (hover !== undefined) all.push(hover);
    }
    for (const member of [...(symbol.members ?? []), ...(symbol.exports ?? [])]) {
      visit(member[1], `${name}.${member[1].name}`);
    }
  };
  const file = sources.getProgram()?.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  for (const exported of module ? checker.getExportsOfModule(module) : []) {
    exportedNames.add(exported.name);
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    visit(isAlias ? checker.getAliasedSymbol(exported) : exported, exported.name);
  }
  return all;
}

/** The hovers of all methods of a client, where a program uses them. */
function hoversOfUses(): Hover[] {
  const checked = serviceOf(preamble);
  const checker = checkerOf(checked);
  const source = checked.getProgram()?.getSourceFile(consumer);
  const paths: string[] = [];
  const visit = (type: ts.Type, path: string): void => {
    for (const member of type.getProperties()) {
      const [declaration] = member.declarations ?? [];
      const isOurs = declaration?.getSourceFile().fileName.includes('/src/') ?? false;
      if (declaration === undefined || !isOurs || !isPublic(declaration)) continue;
      const memberPath = `${path}.${member.name}`;
      paths.push(memberPath);
      const memberType = checker.getTypeOfSymbol(member);
      if (memberType.isClass() || ts.isPropertyDeclaration(declaration))
        visit(memberType, memberPath);
    }
  };
  const client = source?.statements.find(ts.isVariableStatement);
  const [variable] = client?.declarationList.declarations ?? [];
  if (variable !== undefined) visit(checker.getTypeAtLocation(variable), 'gateway');

  const program = preamble + paths.map((path) => `void ${path};\n`).join('');
  const service = serviceOf(program);
  return paths.flatMap((path) => {
    const position = program.indexOf(`void ${path};`) + 'void '.length + path.lastIndexOf('.') + 1;
    return hoverAt(service, consumer, position, path) ?? [];
  });
}

function hoverAt(
  service: ts.LanguageService,
  file: string,
  position: number,
  name: string,
): Hover | undefined {
  const info = service.getQuickInfoAtPosition(file, position);
  if (info === undefined) return undefined;
  const parts = info.displayParts ?? [];
  const kinds = ['aliasName', 'className', 'interfaceName'];
  return {
    name,
    signature: ts.displayPartsToString(parts),
    types: parts.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text),
    docs: ts.displayPartsToString(info.documentation),
    examples: (info.tags ?? [])
      .filter((tag) => tag.name === 'example')
      .map((tag) => ts.displayPartsToString(tag.text)),
  };
}

function isPublic(declaration: ts.Declaration): boolean {
  const node = ts.getNameOfDeclaration(declaration);
  const isPrivate = node !== undefined && ts.isPrivateIdentifier(node);
  const tags = ts.getJSDocTags(declaration);
  const isInternal = tags.some(({ tagName }) => tagName.text === 'internal');
  return !isPrivate && !isInternal && !ts.isTypeParameterDeclaration(declaration);
}

function checkerOf(service: ts.LanguageService): ts.TypeChecker {
  const checker = service.getProgram()?.getTypeChecker();
  if (checker === undefined) throw new Error('The program could not be created');
  return checker;
}
