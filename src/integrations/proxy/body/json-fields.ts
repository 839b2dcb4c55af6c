/**
 * Lists the fields at the top level of a JSON object: the decoded name and the text of the value, including
 * repeated ones. The text must be valid JSON; if it is not an object, it has no fields.
 *
 * `JSON.parse` keeps only the last of several fields with one name. V8 reads some escaped names incorrectly,
 * depending on objects that it parsed before (nodejs/node issue 63785), so a caller could hide a field from the proxy.
 * It reads strings correctly, so each name is parsed as a string here.
 */
export function fieldsOf(json: string): [name: string, value: string][] {
  const fields: [string, string][] = [];
  const text = json.trim();
  if (!text.startsWith('{')) return fields;
  let name: string | undefined;
  let start = 1;
  for (const index of boundaries(text)) {
    const piece = text.slice(start, index);
    if (text[index] === ':') name = String(JSON.parse(piece));
    else if (name === undefined) continue;
    else fields.push([name, piece]);
    start = index + 1;
  }
  return fields;
}

/** The positions of what separates and ends the names, values or items of a JSON object or list: its own `:`, `,` and bracket. */
function* boundaries(text: string): Generator<number> {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    const separates = depth === 1 && (character === ',' || character === ':');
    if (separates || depth === 0) yield index;
  }
}

/** Returns the position of the quote that ends the string, given the position of the one that starts it. */
function endOfString(text: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return end;
}

/** Whether an object anywhere in a JSON text has two fields of one name. The text must be valid JSON. */
export function repeatsField(json: string): boolean {
  /** The names in each open object; undefined for arrays. */
  const open: (Set<string> | undefined)[] = [];
  /** The last string, which is the name of a field if a colon follows. */
  let last = '';
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      const end = endOfString(json, index);
      last = json.slice(index, end + 1);
      index = end;
    } else if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':') {
      const names = open.at(-1);
      const name = String(JSON.parse(last));
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}

/** A string, a field name or a number anywhere in a JSON text. */
export interface JsonText {
  /** The decoded string, or the number as it is written. */
  readonly text: string;
  readonly isNumber: boolean;
  /** The name of the field that holds it; empty for a field name. */
  readonly field: string;
}

/** Lists all strings, field names and numbers of a JSON text, which must be valid. */
export function* textsOf(json: string): Generator<JsonText> {
  const number = /[\d.eE+-]+/y;
  const space = /\s*/y;
  /** The fields that hold the open objects and lists. Items of a list are in the field of the list. */
  const open: string[] = [];
  let field = '';
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index] ?? '';
    if (character === '"') {
      const end = endOfString(json, index);
      const text = stringOf(json.slice(index, end + 1));
      space.lastIndex = end + 1;
      space.test(json);
      const isName = json[space.lastIndex] === ':';
      yield { text, isNumber: false, field: isName ? '' : field };
      if (isName) field = text;
      index = space.lastIndex - 1;
    } else if (character === '{' || character === '[') open.push(field);
    else if (character === '}' || character === ']') field = open.pop() ?? '';
    else if (/[\d-]/.test(character)) {
      number.lastIndex = index;
      const [text = ''] = number.exec(json) ?? [];
      yield { text, isNumber: true, field };
      index += text.length - 1;
    }
  }
}

/** Lists the texts of the items of a JSON list. The text must be valid JSON; if it is no list, it has no items. */
export function itemsOf(json: string): string[] {
  const text = json.trim();
  const items: string[] = [];
  if (!/^\[\s*[^\s\]]/.test(text)) return items;
  let start = 1;
  for (const index of boundaries(text)) {
    items.push(text.slice(start, index));
    start = index + 1;
  }
  return items;
}

/** An id in a response: the text of a string, or the digits of an integer, of which numbers would lose some. */
export function idOf(json = ''): string | undefined {
  const text = json.trim();
  if (text.startsWith('"')) return stringOf(text) || undefined;
  return /^-?\d/.test(text) ? (integerOf(text) ?? String(Number(text))) : undefined;
}

const stringOf = (text: string) =>
  text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);

/** More digits are not those of an id. */
const maxDigits = 1_000;

/** The exact digits of an integer, however it is written. Returns undefined for other and for longer numbers. */
export function integerOf(number: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const length = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (whole === '' || length > maxDigits || digits.length > maxDigits) return undefined;
  if (length <= 0) return /^0*$/.test(digits) ? '0' : undefined;
  if (/[1-9]/.test(digits.slice(length))) return undefined;
  const integer = digits
    .slice(0, length)
    .padEnd(length, '0')
    .replace(/^0+(?=\d)/, '');
  return integer === '0' ? '0' : sign + integer;
}
