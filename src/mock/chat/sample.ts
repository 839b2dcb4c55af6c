import type { ToolCall } from '../../wire/types/chat/params.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { hash } from '../random.ts';
import type { ChatRequest, Tool } from './request.ts';

/** Maximum nesting depth of a sample. It stops recursive schemas. */
const maxDepth = 12;

/**
 * Maximum size of one sample, in characters and values together: a short schema can describe
 * billions of values.
 */
const maxSampleSize = 12_000;

/** Maximum size of all samples in a response together. */
const maxResponseSize = 2_000_000;

/**
 * Creates a simple value that matches a JSON schema; strings are taken from `text`. `copies` is the
 * number of times the response contains the value; more copies mean a smaller value.
 */
export function sampleValue(schema: unknown, text: string, copies: number): unknown {
  const sizeLeft = Math.min(maxSampleSize, Math.floor(maxResponseSize / copies));
  return sampleOf(schema, { root: schema, text, sizeLeft }, 0);
}

interface SampleState {
  readonly root: unknown;
  readonly text: string;
  /** Remaining size, in characters and values. */
  sizeLeft: number;
}

function sampleOf(schema: unknown, state: SampleState, depth: number): unknown {
  state.sizeLeft -= 1;
  if (!isRecord(schema) || depth > maxDepth || state.sizeLeft < 0) return null;
  const nested = (inner: unknown): unknown => sampleOf(inner, state, depth + 1);
  if (typeof schema.$ref === 'string') return nested(resolve(state.root, schema.$ref));
  if ('const' in schema) return withinSize(schema.const, state);
  if ('default' in schema) return withinSize(schema.default, state);
  for (const values of [schema.enum, schema.examples]) {
    if (Array.isArray(values) && values.length > 0) return withinSize(values[0], state);
  }
  for (const schemas of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(schemas) && schemas.length > 0) return nested(schemas[0]);
  }
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map(nested).filter(isRecord);
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
  }
  return sampleOfType(schema, state, nested);
}

/** Returns the value, or null if it exceeds the remaining size. */
function withinSize(value: unknown, state: SampleState): unknown {
  const length = JSON.stringify(value)?.length ?? 0;
  if (length > state.sizeLeft) return null;
  state.sizeLeft -= length;
  return value;
}

function sampleOfType(
  schema: Record<string, unknown>,
  state: SampleState,
  nested: (inner: unknown) => unknown,
): unknown {
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const { properties, items } = schema;
  switch (types[0]) {
    case 'string':
      return withinSize(sampleString(schema, state.text), state);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const length = Math.min(Math.max(numberOr(schema.minItems, 1), 1), 100);
      return Array.from({ length }, () => nested(items ?? {}));
    }
    default:
      if (!isRecord(properties)) return types[0] === 'object' ? {} : state.text;
      return Object.fromEntries(sampleEntries(properties, state, nested));
  }
}

function sampleEntries(
  properties: Record<string, unknown>,
  state: SampleState,
  nested: (inner: unknown) => unknown,
): [string, unknown][] {
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(properties)) {
    state.sizeLeft -= name.length;
    if (state.sizeLeft > 0) entries.push([name, nested(inner)]);
  }
  return entries;
}

function sampleString(schema: Record<string, unknown>, text: string): string {
  switch (schema.format) {
    case 'date-time':
      return '2026-05-01T00:00:00Z';
    case 'date':
      return '2026-05-01';
    case 'email':
      return 'someone@example.com';
    case 'uri':
      return 'https://example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000';
    default: {
      const minLength = numberOr(schema.minLength, 0);
      const maxLength = numberOr(schema.maxLength, Math.max(200, minLength));
      return text.padEnd(Math.min(minLength, 10_000), '.').slice(0, maxLength);
    }
  }
}

function sampleNumber(schema: Record<string, unknown>): number {
  const step = numberOr(schema.multipleOf, 1) || 1;
  const low = numberOr(schema.minimum, numberOr(schema.exclusiveMinimum, -Infinity) + step);
  const high = numberOr(schema.maximum, numberOr(schema.exclusiveMaximum, Infinity) - step);
  if (low <= 1 && high >= 1 && step === 1) return 1;
  const nearest = Number.isFinite(low) ? Math.ceil(low / step) * step : Math.min(high, step);
  return Number.isFinite(nearest) ? nearest : 1;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** Resolves a reference such as `#/definitions/name`. */
function resolve(root: unknown, reference: string): unknown {
  let value = root;
  for (const part of reference.split('/').slice(1)) {
    if (!isRecord(value)) return undefined;
    value = value[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

/** Number of characters at the end of the prompt that are searched for tool names. */
const promptScanLength = 2000;

/** Returns the function calls of the model: the tools that are required or that the prompt mentions. */
export function selectToolCalls(request: ChatRequest): ToolCall['function'][] {
  const prompt = request.prompt.slice(-promptScanLength);
  const selected = selectTools({ ...request, prompt });
  const tools = request.parallelToolCalls ? selected : selected.slice(0, 1);
  const copies = tools.length * request.choices;
  return tools.map((tool) => ({
    name: tool.name,
    arguments: argumentsFor(tool, prompt, copies),
  }));
}

/** Gives the calls of one choice their own ids. */
export function withCallIds(calls: readonly ToolCall['function'][], seed: string): ToolCall[] {
  return calls.map((call, index) => ({
    id: `call_${hash(`${seed} ${call.name} ${index}`).toString(36).padStart(7, '0')}`,
    type: 'function',
    function: call,
  }));
}

function selectTools({ tools, toolChoice, prompt, toolResult }: ChatRequest): Tool[] {
  if (tools.length === 0 || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') {
    const named = tools.find((tool) => tool.name === toolChoice.name);
    return [named ?? { name: toolChoice.name, parameters: undefined }];
  }
  const mentioned = tools.filter((tool) => mentions(prompt, tool.name));
  if (toolChoice === 'required') return mentioned.length > 0 ? mentioned : tools.slice(0, 1);
  return toolResult === undefined ? mentioned : [];
}

/** Words that are too common in function names to identify a tool. */
const commonWords = new Set('get set find list make create search current the'.split(' '));

/** Whether the prompt contains a tool's name or a distinctive word in it: `get_weather`, "weather". */
function mentions(prompt: string, name: string): boolean {
  const text = prompt.toLowerCase();
  if (text.includes(name.toLowerCase())) return true;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => word.length > 2 && !commonWords.has(word) && text.includes(word));
}

/**
 * Creates arguments that match the tool's schema. String arguments are the last capitalized word of the
 * prompt, which is often a name, or else its last word.
 */
function argumentsFor(tool: Tool, prompt: string, copies: number): string {
  const words = prompt.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(1).findLast((word) => /^\p{Lu}/u.test(word));
  const text = name ?? words.at(-1) ?? 'example';
  return JSON.stringify(sampleValue(tool.parameters ?? { type: 'object' }, text, copies));
}
