import { isRecord } from '../../wire/types/type-guards.ts';

type Fields = Record<string, unknown>;

/** Keywords that every client and model accepts. Some reject all tools if one of them has another keyword. */
const keywords = ['type', 'minLength', 'minimum', 'maximum', 'required'];

/**
 * Writes a JSON schema in the part of the language that every client accepts. It can allow more than the original,
 * because the server checks all arguments itself; descriptions name what the keywords cannot.
 */
export function portableSchema(schema: Fields): Fields {
  const { properties, items, additionalProperties, oneOf } = schema;
  if (Array.isArray(oneOf)) return portableSchema(merged(oneOf.filter(isRecord), schema));
  const description = describe(schema);
  // Some models accept no list of numbers.
  const values = valuesOf(schema).filter((value) => typeof value === 'string');
  return {
    ...Object.fromEntries(keywords.flatMap((name) => entryOf(schema, name))),
    ...(description !== '' && { description }),
    ...(values.length > 0 && { enum: values }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          portableSchema(isRecord(field) ? field : {}),
        ]),
      ),
    }),
    ...(isRecord(items) && { items: portableSchema(items) }),
    // Without it, an object is open. A schema in this place is not accepted everywhere.
    ...(additionalProperties === false && { additionalProperties }),
  };
}

/** One object for several alternatives, with the fields of all of them. Those that all require are required. */
function merged(options: readonly Fields[], { description }: Fields): Fields {
  const fields = options.map(({ properties }) => (isRecord(properties) ? properties : {}));
  const properties = Object.fromEntries(
    fields
      .flatMap((some) => Object.keys(some))
      .map((name) => [name, mergedField(fields.map((some) => some[name]).filter(isRecord))]),
  );
  const [first = {}, ...others] = options;
  const required = listOf(first.required).filter((name) =>
    others.every((option) => listOf(option.required).includes(name)),
  );
  return { ...first, description, properties, required };
}

/** A field that several alternatives have. One of them may allow every value. */
function mergedField(fields: readonly Fields[]): Fields {
  const lists = fields.map((field) => valuesOf(field));
  const values = lists.some((list) => list.length === 0) ? [] : lists.flat();
  const examples = fields.flatMap((field) => listOf(field.examples));
  return { ...fields[0], const: undefined, enum: values, examples };
}

/** A keyword and its value. The largest integers are not limits: zod adds them. */
function entryOf(schema: Fields, name: string): [string, unknown][] {
  const { [name]: value } = schema;
  const isAdded = typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
  return value === undefined || isAdded ? [] : [[name, value]];
}

/** The only values that a field can have. */
const valuesOf = ({ enum: values, const: only }: Fields): unknown[] =>
  only === undefined ? listOf(values) : [only];

/** The description, with the values that no keyword lists. */
function describe(schema: Fields): string {
  const others = valuesOf(schema).filter((value) => typeof value !== 'string');
  const examples = [...new Set(listOf(schema.examples))];
  return [
    typeof schema.description === 'string' ? schema.description : '',
    ...(others.length > 0 ? [`${others.join(' or ')}.`] : []),
    ...(examples.length > 0 ? [`Known values: ${examples.join(', ')}.`] : []),
  ]
    .filter(Boolean)
    .join(' ');
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
