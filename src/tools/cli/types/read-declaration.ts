import type { Catalog, CatalogEntry } from './declaration.ts';

/** A part of the file: a comment, the content of a string literal, a name, or another character. */
interface Token {
  readonly type: 'comment' | 'text' | 'name' | 'mark';
  readonly value: string;
}

/** Reads a generated file. A formatter may have changed its quotes, semicolons, indentation and line breaks. */
export function readDeclaration(file: string): Catalog {
  const catalog = new Map<string, Map<string, CatalogEntry>>();
  const tokens = [...tokensOf(file)];
  const is = (index: number, value: string) =>
    tokens[index]?.value === value && /^(name|mark)$/.test(tokens[index].type);
  const start = tokens.findIndex(
    (_, index) => is(index - 1, 'interface') && is(index, 'ModelCatalog'),
  );
  if (start < 0) return catalog;
  /** The texts of a union that begins at a token. */
  const unionAt = (index: number): string[] => {
    const texts: string[] = [];
    for (let at = is(index, '|') ? index + 1 : index; tokens[at]?.type === 'text'; at += 2) {
      texts.push(tokens[at]?.value ?? '');
      if (!is(at + 1, '|')) break;
    }
    return texts;
  };
  const aliases = new Map<string, string[]>();
  let models: Map<string, CatalogEntry> | undefined;
  let price = '';
  for (const [index, { type, value }] of tokens.entries()) {
    if (index < start) {
      if (is(index, 'type') && is(index + 2, '=')) {
        aliases.set(tokens[index + 1]?.value ?? '', unionAt(index + 3));
      }
    } else if (type === 'comment') price = value.replaceAll(/\s+/g, ' ').trim();
    else if (is(index, '}')) models = undefined;
    else if (type !== 'mark' && is(index + 1, ':')) {
      const { type: kind, value: name = '' } = tokens[index + 2] ?? {};
      if (is(index + 2, '{')) {
        models = new Map();
        catalog.set(value, models);
      } else {
        const resolutions = (kind === 'name' && aliases.get(name)) || unionAt(index + 2);
        if (resolutions.length > 0 || name === 'never') models?.set(value, { price, resolutions });
      }
    }
  }
  return catalog;
}

/** Splits the file. Regular expressions for whole literals overflow the stack if one is long. */
function* tokensOf(file: string): Generator<Token> {
  const next = /\/\*\*?|\/\/|[\w$]+|\S/g;
  for (let found = next.exec(file); found !== null; found = next.exec(file)) {
    const [value] = found;
    const start = next.lastIndex;
    if (value === '//' || value.startsWith('/*')) {
      const mark = value === '//' ? '\n' : '*/';
      const end = file.indexOf(mark, start);
      if (value === '/**')
        yield { type: 'comment', value: file.slice(start, Math.max(start, end)) };
      next.lastIndex = end < 0 ? file.length : end + mark.length;
    } else if (value === '"' || value === "'") {
      let end = start;
      while (end < file.length && file[end] !== value) end += file[end] === '\\' ? 2 : 1;
      if (end >= file.length) return;
      yield { type: 'text', value: unquoted(file.slice(start, end), value) };
      next.lastIndex = end + 1;
    } else yield { type: /^[\w$]/.test(value) ? 'name' : 'mark', value };
  }
}

/** The text of a string literal. */
function unquoted(content: string, quote: string): string {
  const inner =
    quote === '"'
      ? content
      : content.replaceAll(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"));
  const parsed: unknown = JSON.parse(`"${inner}"`);
  return String(parsed);
}
