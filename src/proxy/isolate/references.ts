import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';

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
  const visit = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      for (const [uri] of value.matchAll(assetPattern)) assets.add(`asset${uri.slice(5)}`);
      if (!idPattern.test(value)) return;
      names.add(value);
      isCertain ||= idField.test(field);
    } else if (Array.isArray(value)) {
      for (const item of value) visit(item, field);
    } else if (isRecord(value)) {
      for (const [name, item] of Object.entries(value)) visit(item, name);
    }
  };
  visit(body, '');
  for (const uri of assets) {
    names.add(uri);
    const id = uri.slice('asset://'.length);
    if (idPattern.test(id)) names.add(id);
  }
  return { names: [...names], assets: [...assets], isCertain: isCertain || assets.size > 0 };
}

/** Fields of a response that name the resource. */
const resourceFields = ['id', 'task_id', 'voice_id', 'uri'];

/** Records in a response that may hold such fields. */
const wrappers = ['data', 'task', 'voice'];

/** The names of the resource that a response describes. */
export function resourcesIn(record: Readonly<Record<string, unknown>>): string[] {
  const names = resourceFields.map((field) => record[field]);
  for (const field of wrappers) {
    const inner = record[field];
    if (isRecord(inner)) names.push(...resourceFields.map((name) => inner[name]));
  }
  return [...new Set(names.filter(isNonEmptyString))];
}
