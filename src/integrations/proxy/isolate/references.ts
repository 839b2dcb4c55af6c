import { parseJson } from '../../../internal.ts';
import { folded, invalidBody } from '../body/fields.ts';
import { fieldsOf, idOf, integerOf, textsOf } from '../body/json-fields.ts';
import type { JsonText } from '../body/json-fields.ts';
import { canonical, entityDecoded, partsOf, percentDecoded, readingsOf } from './readings.ts';

/** A text that may refer to resources. */
export interface Reference {
  /** The text itself. If it names a resource of the user, nothing else is meant. */
  readonly text: string;
  /** Everything that may be an id in it. */
  readonly names: ReadonlySet<string>;
  /** The `asset://` URIs in it, whose materials always have an owner. */
  readonly assets: ReadonlySet<string>;
  /** Whether it certainly is a reference: a URI, or the value of a field that holds ids. */
  readonly isCertain: boolean;
  /** Whether it is a number, which a service may round to the id of another user. */
  readonly mayBeRounded?: boolean;
}

/** An `asset://` URI. Browsers and services ignore the case of a scheme. */
const assetPattern = /asset:\/\/[^\s"'<>]{0,2000}/gi;

/** How often JSON may be in a string of JSON. */
const maxNesting = 8;

/** How many names are looked up for one request. More would block the store for other users. */
const maxNames = 100_000;

/** Whether a field holds ids. Some services ignore letter case, underscores and hyphens. */
const holdsIds = (field: string) =>
  /(?:^|[_-])ids?$/i.test(field) ||
  /Ids?$/.test(field) ||
  /(?:task|voice|material|asset|file)ids?$|^(?:task|voice|material)s?$/.test(folded(field));

/**
 * Finds everything in a JSON text that may belong to a user. Any field of a model may name a task, and so may any field
 * name, so all of them are read.
 *
 * @throws a 400 if there is more than can be compared.
 */
export function referencesIn(json: string): Reference[] {
  const found = new Map<string, Reference>();
  const names = new Set<string>();
  const open: [json: string, nesting: number][] = [[json, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, nesting] = next;
    for (const item of textsOf(source)) {
      if (item.isNumber && !mayBeId(item)) continue;
      const inner = item.isNumber ? undefined : jsonIn(item.text);
      if (inner !== undefined) {
        if (nesting === maxNesting) throw invalidBody('The body has too much JSON in strings.');
        open.push([inner, nesting + 1]);
      }
      const key = `${item.isNumber} ${item.text}`;
      const known = found.get(key);
      if (known !== undefined && (known.isCertain || !holdsIds(item.field))) continue;
      const reference = item.isNumber ? numberReference(item) : referenceOf(item);
      found.set(key, reference);
      for (const name of reference.names) names.add(name);
      if (names.size > maxNames) {
        throw invalidBody(
          'The body has more than 100,000 words that could be ids of resources. Send fewer or shorter texts in one request.',
        );
      }
    }
  }
  return [...found.values()];
}

/** Everything that a text may refer to. */
export function referenceOf({ text, field }: Pick<JsonText, 'text' | 'field'>): Reference {
  const readings = readingsOf(text);
  if (readings === undefined) {
    throw invalidBody('A text is encoded too many times to compare it with ids of resources.');
  }
  const names = new Set(readings);
  const assets = new Set<string>();
  for (const reading of new Set([text, percentDecoded(text), entityDecoded(text)])) {
    for (const part of partsOf(reading)) names.add(part);
    for (const [uri] of reading.matchAll(assetPattern)) assets.add(`asset${uri.slice(5)}`);
  }
  for (const uri of assets) names.add(uri).add(uri.slice('asset://'.length));
  for (const name of names) names.add(canonical(name));
  names.delete('');
  return { text, names, assets, isCertain: assets.size > 0 || holdsIds(field) };
}

/** A number is an id in a field that holds ids, or if services may round it. */
function mayBeId({ text, field }: JsonText): boolean {
  const number = Number(text);
  const isInteger = Number.isInteger(number) || integerOf(text) !== undefined;
  return holdsIds(field) || (isInteger && !Number.isSafeInteger(number));
}

/** Services read the digits of a number, or what their numbers can hold of them. */
function numberReference({ text, field }: JsonText): Reference {
  const integer = integerOf(text);
  if (integer === undefined && !Number.isFinite(Number(text))) {
    throw invalidBody('A number is too large to compare it with ids of resources.');
  }
  const rounded = integerOf(Number(text).toFixed(0)) ?? String(Number(text));
  const names = new Set([text, integer ?? text, rounded, String(Number(text)), canonical(rounded)]);
  return {
    text: integer ?? text,
    names,
    assets: new Set(),
    isCertain: holdsIds(field),
    mayBeRounded: true,
  };
}

/** The JSON that a string contains. Returns undefined if it is not JSON, or has no strings and numbers. */
function jsonIn(text: string): string | undefined {
  const json = text.trim();
  const isFramed = /^(?:\{|\[|")/.test(json) && /[}\]"]$/.test(json);
  return isFramed && parseJson(json) !== undefined ? json : undefined;
}

/** Fields of a response that name a task. Other fields can be the page's own: a service may repeat the voice. */
export const taskFields = ['id', 'task_id'];

/** Fields of a response that name a resource of any kind. */
const resourceFields = [...taskFields, 'voice_id', 'uri'];

/** Records in a response that may hold such fields. */
const wrappers = ['data', 'task', 'voice'];

/** The names of the resource that a response, which is valid JSON, describes. */
export function resourcesIn(json: string, fields: readonly string[] = resourceFields): string[] {
  const record = new Map(fieldsOf(json));
  const records = [record, ...wrappers.map((name) => new Map(fieldsOf(record.get(name) ?? '')))];
  const names = records.flatMap((each) => fields.map((field) => idOf(each.get(field))));
  return [...new Set(names.filter((name) => name !== undefined))];
}
