import type { Catalog, CatalogEntry } from './declaration.ts';

/** A string literal with either kind of quotes. */
const text = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`;

const texts = `(?:${text})(?:\\s*\\|\\s*(?:${text}))*`;

/** The parts of the file, in order: a comment, a key with its value, the start and the end of a type. */
const part = new RegExp(
  `/\\*\\*(?<comment>.*?)\\*/|(?<key>${text}|[\\w$]+)\\s*:\\s*(?:(?<open>\\{)|(?<value>never|Resolutions\\d+|\\|?\\s*${texts}))|(?<close>\\})`,
  'gs',
);

/** A name for a list of resolutions that many models share. */
const alias = new RegExp(
  `type\\s+(?<name>Resolutions\\d+)\\s*=\\s*(?<union>\\|?\\s*${texts})`,
  'g',
);

/** Reads a generated file. A formatter may have changed its quotes, semicolons, indentation and line breaks. */
export function readDeclaration(file: string): Catalog {
  const catalog = new Map<string, Map<string, CatalogEntry>>();
  let models: Map<string, CatalogEntry> | undefined;
  let price = '';
  const start = file.search(/\binterface\s+ModelCatalog\b/);
  const aliases = new Map<string | undefined, string | undefined>();
  for (const { groups } of file.slice(0, Math.max(0, start)).matchAll(alias)) {
    aliases.set(groups?.name, groups?.union);
  }
  const body = file.slice(start);
  for (const { groups = {} } of body.matchAll(part)) {
    const { comment, key = '', open, value, close } = groups;
    if (comment !== undefined) price = comment.replaceAll(/\s+/g, ' ').trim();
    if (close !== undefined) models = undefined;
    if (open !== undefined) {
      models = new Map();
      catalog.set(unquoted(key), models);
    }
    if (value !== undefined) {
      const union = aliases.get(value) ?? value;
      const resolutions = [...union.matchAll(new RegExp(text, 'g'))].map(([one]) => unquoted(one));
      models?.set(unquoted(key), { price, resolutions });
    }
  }
  return catalog;
}

/** The text of a string literal. */
function unquoted(literal: string): string {
  if (!/^["']/.test(literal)) return literal;
  const inner = literal.slice(1, -1).replaceAll(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"));
  const escaped = literal.startsWith('"') ? literal : `"${inner}"`;
  const parsed: unknown = JSON.parse(escaped);
  return String(parsed);
}
