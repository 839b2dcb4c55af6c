import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { ConfigurationError } from 'polygate';
import * as z from 'zod/mini';

import { imageParams, musicParams, speechParams, videoParams } from '../../wire/schemas/index.ts';
import { unknownFields } from '../../wire/schemas/record-schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { generationKinds } from '../cli/command-options.ts';
import type { GenerationKind } from '../cli/task-store.ts';

type Fields = Record<string, unknown>;

/** The body of each kind of generation. */
const bodies: Readonly<Record<GenerationKind, z.ZodMiniType>> = {
  image: imageParams,
  video: videoParams,
  music: musicParams,
  speech: speechParams,
};

const again = z.optional(z.union([z.string().check(z.minLength(1)), z.number()]));

/** What an agent reads about arguments whose schema or description is for programs. */
const described: Fields = {
  model: { type: 'string', description: 'Id of a model; list_models lists them.' },
  again: {
    type: 'string',
    description:
      'The same arguments return the same task, without a second charge. To generate and pay for another result with the same arguments, pass a label that was not used before, such as 2.',
  },
};

/** Names of fields that send results elsewhere, or choose how a request is routed. An agent must not set them. */
const forbidden = /callback|webhook|^route$/i;

/** The body, with the label, as one object. */
function withAgain(kind: GenerationKind): z.ZodMiniObject {
  const body = bodies[kind];
  if (!(body instanceof z.ZodMiniObject)) throw new TypeError('Params are an object');
  const fields = Object.keys(body.shape).filter((name) => forbidden.test(name));
  if (fields.length > 0) throw new TypeError(`A tool must not have the field ${fields[0]}`);
  return z.safeExtend(body, { again });
}

const estimated = z.looseObject({ kind: z.optional(z.enum(generationKinds)), model: z.string() });

/** The input of a tool, as JSON schema. The server checks it itself, so that an error says that nothing was charged. */
export function inputSchema(json: Fields): StandardSchemaWithJSON {
  const toJson = () => json;
  return {
    '~standard': {
      version: 1,
      vendor: 'polygate',
      validate: (value) => ({ value }),
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}

/** The JSON schema of the arguments of a generation. */
export function generationInput(kind: GenerationKind): Fields {
  const schema = portableSchema(z.toJSONSchema(withAgain(kind), { io: 'input' }));
  return { ...schema, properties: { ...fieldsOf(schema), ...described } };
}

/** The JSON schema of the arguments of `estimate`: the fields of all kinds, of which the price depends on a few. */
export function estimateInput(): Fields {
  const fields = generationKinds.toReversed().map((kind) => fieldsOf(generationInput(kind)));
  return {
    type: 'object',
    properties: {
      kind: {
        type: 'string',
        description: 'What to generate. Only needed if the model does not determine it.',
        enum: [...generationKinds],
      },
      ...Object.assign({}, ...fields),
    },
    required: ['model'],
    additionalProperties: false,
  };
}

const fieldsOf = ({ properties }: Fields): Fields => (isRecord(properties) ? properties : {});

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

/**
 * Checks the arguments of a generation. Returns the model, all fields of the request, and the label of another generation with
 * the same fields.
 *
 * @throws `ConfigurationError` that names the first problems.
 */
export function parseGeneration(kind: GenerationKind, args: unknown) {
  const { again: label, ...body } = parse(withAgain(kind), args);
  return {
    model: textOf(body.model),
    body: sorted(checkForbidden(body)),
    again: label === undefined ? undefined : textOf(label),
  };
}

/**
 * Refuses arguments that a tool does not have.
 *
 * @throws `ConfigurationError` that names them, and those that were probably meant.
 */
export function checkNames(args: Fields, { properties = {} }: { properties?: object }): void {
  const known = Object.keys(properties);
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new ConfigurationError(`Invalid arguments. ${unknownFields(unknown, known)}`);
}

/** Returns the model of an estimate, and the kind if it is given. */
export function parseEstimated(args: unknown): {
  kind?: GenerationKind | undefined;
  model: string;
} {
  return z.parse(estimated, parse(estimated, args));
}

/** Checks the arguments of an estimate. Fields that do not change the price can be left out. */
export function parseEstimate(kind: GenerationKind, args: unknown): Fields {
  const { kind: _, ...fields } = isRecord(args) ? args : {};
  const { shape } = withAgain(kind);
  checkNames(fields, { properties: shape });
  const partial = z.partial(z.object(shape));
  const { again: _again, ...body } = parse(z.required(partial, { model: true }), fields);
  return body;
}

/** A label or the id of a model, which the schemas have checked. */
const textOf = (value: unknown) =>
  typeof value === 'number' ? `${value}` : z.parse(z.string(), value);

function parse(schema: z.ZodMiniType, args: unknown): Fields {
  const { data, error } = z.safeParse(schema, args ?? {});
  if (error === undefined && isRecord(data)) return data;
  const problems = (error?.issues ?? []).slice(0, 5).map(({ code, path, message }) => {
    // A rule about several fields names them itself.
    const field = code === 'custom' ? '' : path.join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  throw new ConfigurationError(`Invalid arguments. ${problems.join(' ')}`);
}

/** Free fields such as `extra_body` can have any name. */
function checkForbidden(fields: Fields): Fields {
  JSON.stringify(fields, (name, value: unknown) => {
    if (!forbidden.test(name)) return value;
    throw new ConfigurationError(`Invalid arguments. ${name}: tools do not accept this field.`);
  });
  // Some services merge it with the other fields. Then it could change what was checked, such as model and price.
  const { extra_body: extra } = fields;
  const hidden = isRecord(extra) ? Object.keys(extra).find((name) => isTopLevel(name)) : undefined;
  if (hidden === undefined) return fields;
  throw new ConfigurationError(
    `Invalid arguments. extra_body.${hidden}: tools do not accept this field in extra_body.`,
  );
}

/** Whether a field belongs to the top level of some request, also as services read it that ignore case and underscores. */
function isTopLevel(name: string): boolean {
  const folded = fold(name);
  return Object.values(bodies).some(
    (body) =>
      body instanceof z.ZodMiniObject &&
      Object.keys(body.shape).some((known) => fold(known) === folded),
  );
}

const fold = (name: string) => name.replaceAll(/[_-]|\0.*/gs, '').toLowerCase();

/** A copy with the fields of all objects in the same order, so that equal arguments are equal texts. */
function sorted<Value>(value: Value): Value;
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => sorted(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  );
}
