/** Reads what the doc comments of interfaces and their fields say: descriptions, and tags for what types cannot express. */
import ts from 'typescript';

/** Tags by name, with their texts. */
export type Tags = Readonly<Record<string, string>>;

/** Keywords of JSON schema, with their values. */
export type Keywords = Readonly<Record<string, string | number>>;

/** A number without fraction. */
export const integerTag = 'integer';

/** An object in a request that keeps its unknown fields. */
export const openTag = 'keepsUnknownFields';

/** A field that is not required if one of the named fields is given. */
export const alternativeTag = 'alternative';

/** Tags that limit the values of a field, and the checks of zod that they become. */
export const limits = { minimum: 'gte', maximum: 'lte', minLength: 'minLength' } as const;

/** Tags that only the OpenAPI document uses. */
const documenting = ['format', 'pattern', 'sample'];

/** The tags that no other tool knows. */
export const schemaTags = [integerTag, alternativeTag, ...Object.keys(limits), ...documenting];

const fieldTags = [...schemaTags, 'defaultValue'];

/** The tags of a field. */
export function tagsOf(field: ts.Symbol): Tags {
  const tags = field.getJsDocTags().map(({ name, text }) => {
    if (!fieldTags.includes(name)) throw new TypeError(`${field.name}: unknown tag @${name}`);
    return [name, ts.displayPartsToString(text).trim()];
  });
  return Object.fromEntries(tags);
}

/** The keywords of a field in the OpenAPI document. */
export function keywordsOf(tags: Tags, type: ts.Type): Keywords {
  const names = [...Object.keys(limits), ...documenting];
  const isNumber = (name: string) =>
    name in limits || (name === 'sample' && (type.flags & ts.TypeFlags.Number) !== 0);
  return Object.fromEntries(
    names.flatMap((name) => {
      const { [name]: value } = tags;
      if (value === undefined) return [];
      // TypeDoc compiles an `@example`.
      const keyword = name === 'sample' ? 'example' : name;
      return [[keyword, isNumber(name) ? Number(value) : value]];
    }),
  );
}

/** The doc comment of a field in one line. */
export function descriptionOf(field: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(field.getDocumentationComment(checker));
  if (text === '') throw new TypeError(`${field.name} has no doc comment`);
  return text.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`').replaceAll(/\s+/g, ' ');
}
