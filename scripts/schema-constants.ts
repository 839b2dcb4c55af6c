/** Reads the interfaces in `src/wire/types` as constants that are their zod schemas. */
import { globSync } from 'node:fs';

import ts from 'typescript';

import { alternativeTag, descriptionOf, keywordsOf, openTag, tagsOf } from './schema-tags.ts';
import type { Keywords } from './schema-tags.ts';
import { fieldExpression, typeExpression } from './schema-types.ts';

/** The generated constant for a type. */
export interface Constant {
  /** The file, below the folder of the generated ones. */
  readonly file: string;
  /** The interface or alias that its code names. */
  readonly types: readonly string[];
  /** Other constants that its code names. */
  readonly needs: ReadonlySet<string>;
  readonly code: string;
}

/** An object type that becomes a constant. */
interface Subject {
  readonly type: ts.Type;
  /** The name of the constant. */
  readonly name: string;
  /** The interface that it is, or that it is a part of. */
  readonly interface: string;
  /** The type, as an expression. */
  readonly expression: string;
  readonly file: string;
  /** Whether it is part of a request. */
  readonly isSent: boolean;
  /** Whether its unknown fields are kept. */
  readonly isOpen: boolean;
}

const uncapitalized = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
const capitalized = (name: string) =>
  name.replaceAll(/(?:^|_)([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the constants with these names and those that they need, each after those that it needs. */
export function readConstants(root: URL, used: ReadonlySet<string>): Map<string, Constant> {
  const files = globSync('src/wire/types/{catalog,chat,media,tasks}/*.ts', { cwd: root });
  const paths = files.toSorted().map((file) => new URL(file, root).pathname);
  const program = ts.createProgram(paths, {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
  });
  const reader = new Reader(program.getTypeChecker());
  const nodes = paths
    .flatMap((path) => [...(program.getSourceFile(path)?.statements ?? [])])
    .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    .filter(({ name }) => {
      const constant = uncapitalized(name.text);
      return used.has(constant) || used.has(`${constant}Keywords`);
    });
  // Requests first: they determine which of the other types are part of a request.
  for (const node of nodes.filter(isParams)) reader.add(node, used);
  for (const node of nodes.filter((other) => !isParams(other))) reader.add(node, used);
  const missing = [...used].find((name) => !reader.constants.has(name));
  if (missing !== undefined) throw new TypeError(`shapes.${missing} has no interface`);
  return reader.constants;
}

/** Whether a type is the body of a request. */
const isParams = ({ name }: ts.DeclarationStatement) => /(Params|Fields)$/.test(name?.text ?? '');

class Reader {
  readonly constants = new Map<string, Constant>();
  readonly #subjects = new Map<string, Subject>();
  /** The keywords of the fields of each constant, by path. */
  readonly #keywords = new Map<string, Record<string, Keywords>>();
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** Adds the constant of an interface or an alias, and its keywords if they are used. */
  add(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration, used: ReadonlySet<string>): void {
    const { text } = node.name;
    const name = uncapitalized(text);
    const type = this.#checker.getTypeAtLocation(node.name);
    const file = fileOf(node);
    const isSent = this.#subjects.get(name)?.isSent ?? isParams(node);
    const subject = {
      type,
      name,
      interface: text,
      expression: text,
      file,
      isSent,
      isOpen: !isSent,
    };
    if (ts.isInterfaceDeclaration(node)) this.#addObject(subject);
    else this.#addAlias(node, subject);
    const keywords = `${name}Keywords`;
    if (!used.has(keywords)) return;
    const value = JSON.stringify(this.#keywords.get(name), undefined, 2);
    const code = `const ${keywords} = ${value} as const;\n`;
    this.constants.set(keywords, { file, types: [], needs: new Set(), code });
  }

  #addAlias(node: ts.TypeAliasDeclaration, subject: Subject): void {
    const { type, name, file } = subject;
    const needs = new Set<string>();
    const objectName = (part: ts.Type) => {
      const of = this.#subjectOf(part, subject, name, name);
      const inner = this.#addObject(this.#subjects.get(of.name) ?? of);
      needs.add(inner);
      return inner;
    };
    const context = { checker: this.#checker, node: node.type, tags: {}, objectName };
    const code = `const ${name}: Schema<${subject.interface}> = ${typeExpression(type, context)};\n`;
    this.constants.set(name, { file, types: [subject.interface], needs, code });
  }

  #addObject(subject: Subject): string {
    const { type, name, expression, file, isSent, isOpen } = subject;
    const earlier = this.#subjects.get(name);
    if (earlier !== undefined) {
      if (earlier.isSent !== isSent) throw new TypeError(`${name} is sent and received`);
      if (!this.constants.has(name)) throw new TypeError(`${name} contains itself`);
      return name;
    }
    this.#subjects.set(name, subject);
    const needs = new Set<string>();
    const keywords: Record<string, Keywords> = {};
    const fields = this.#checker.getPropertiesOfType(type);
    const lines = fields.map((field) => this.#field(field, subject, needs, keywords));
    this.#keywords.set(name, keywords);
    const optional = fields.filter((field) => alternativeTag in tagsOf(field));
    const names = optional.map((field) => `'${field.name}'`).join(' | ');
    const schemaType = names === '' ? expression : `WithOptional<${expression}, ${names}>`;
    const keepsAll = isOpen || type.getStringIndexType() !== undefined;
    const create = keepsAll ? 'recordSchema' : 'paramsSchema';
    const code = `const ${name}: Schema<${schemaType}> = ${create}({\n${lines.join('')}});\n`;
    this.constants.set(name, { file, types: [subject.interface], needs, code });
    return name;
  }

  /** The line of a field: its description and its schema. */
  #field(
    field: ts.Symbol,
    subject: Subject,
    needs: Set<string>,
    keywords: Record<string, Keywords>,
  ): string {
    const checker = this.#checker;
    const type = checker.getTypeOfSymbol(field);
    const tags = tagsOf(field);
    const own = keywordsOf(tags, type.getNonNullableType());
    if (Object.keys(own).length > 0) keywords[field.name] = own;
    const isList = checker.isArrayType(type.getNonNullableType());
    const objectName = (part: ts.Type) => {
      const isNullable = type !== type.getNonNullableType();
      const path = `${subject.expression}['${field.name}']`;
      const value = `${isNullable ? `NonNullable<${path}>` : path}${isList ? '[number]' : ''}`;
      const name = subject.name + capitalized(field.name);
      const inner = this.#addObject(this.#subjectOf(part, subject, name, value));
      needs.add(inner);
      for (const [innerPath, words] of Object.entries(this.#keywords.get(inner) ?? {})) {
        keywords[`${field.name}${isList ? '[]' : ''}.${innerPath}`] = words;
      }
      return inner;
    };
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0 || alternativeTag in tags;
    const node = field.declarations?.find(ts.isPropertySignature)?.type;
    const schema = fieldExpression(type, isOptional, { checker, node, tags, objectName });
    return `  ${field.name}: [${JSON.stringify(descriptionOf(field, checker))}, ${schema}],\n`;
  }

  /** The subject for an object type inside of another subject. */
  #subjectOf(type: ts.Type, parent: Subject, name: string, expression: string): Subject {
    const node = type.symbol.declarations?.find(ts.isInterfaceDeclaration);
    if (node === undefined) return { ...parent, type, name, expression };
    const { text } = node.name;
    const isMarked = type.symbol.getJsDocTags().some((tag) => tag.name === openTag);
    return {
      ...parent,
      type,
      name: uncapitalized(text),
      interface: text,
      expression: text,
      file: fileOf(node),
      isOpen: !parent.isSent || isMarked,
    };
  }
}

/** The file of a type, below the folder of all types. */
const fileOf = (node: ts.Node) => node.getSourceFile().fileName.replace(/^.*\/wire\/types\//, '');
