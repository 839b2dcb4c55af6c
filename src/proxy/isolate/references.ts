import { isNonEmptyString, isRecord, textOf } from '../../types/type-guards.ts';

/** What a body may refer to: the resources of a user. */
export interface References {
  /** `asset://` URIs and texts that may be ids. */
  readonly names: readonly string[];
  /** The `asset://` URIs among them, whose materials always have an owner. */
  readonly assets: readonly string[];
  /** Whether one of them certainly is a reference: a URI, or the value of a field that holds ids. */
  readonly isCertain: boolean;
}

/** A text that may be the id of a task, a material or a voice. Ids have no spaces, and are not URLs. */
const idPattern = /^[\w.:@~+,=-]{1,200}$/;

/** An `asset://` URI. Browsers and services ignore the case of a scheme. */
const assetPattern = /asset:\/\/[^\s"'<>]*/gi;

/** The name of a field that holds ids. */
const idField = /(^|_)ids?$|Ids?$|^voices?$|^task$/;

/** Finds everything in a body that may belong to a user. Any field of a model may name a task, so all texts are read. */
export function referencesIn(body: unknown): References {
  const names = new Set<string>();
  const assets = new Set<string>();
  let isCertain = false;
  // Not recursive, because a body can be nested more deeply than calls.
  const open: [field: string, value: unknown][] = [['', body]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [field, value] = next;
    const text = typeof value === 'number' && idField.test(field) ? String(value) : value;
    if (typeof text === 'string') {
      for (const [uri] of text.matchAll(assetPattern)) assets.add(`asset${uri.slice(5)}`);
      if (!idPattern.test(text)) continue;
      names.add(text);
      isCertain ||= idField.test(field);
    } else if (Array.isArray(value)) {
      for (const item of value) open.push([field, item]);
    } else if (isRecord(value)) {
      for (const entry of Object.entries(value)) open.push(entry);
    }
  }
  for (const uri of assets) {
    names.add(uri);
    const id = uri.slice('asset://'.length);
    if (idPattern.test(id)) names.add(id);
  }
  return { names: [...names], assets: [...assets], isCertain: isCertain || assets.size > 0 };
}

/** Fields of a response that name a task. Other fields can be the page's own: a service may repeat the voice. */
export const taskFields = ['id', 'task_id'];

/** Fields of a response that name a resource of any kind. */
const resourceFields = [...taskFields, 'voice_id', 'uri'];

/** Records in a response that may hold such fields. */
const wrappers = ['data', 'task', 'voice'];

/** The names of the resource that a response describes. */
export function resourcesIn(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[] = resourceFields,
): string[] {
  const names = fields.map((field) => record[field]);
  for (const wrapper of wrappers) {
    const inner = record[wrapper];
    if (isRecord(inner)) names.push(...fields.map((field) => inner[field]));
  }
  return [...new Set(names.map(textOf).filter(isNonEmptyString))];
}
