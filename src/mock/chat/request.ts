import type { ChatParams } from '../../schemas/chat-params.ts';
import { isRecord } from '../../schemas/record.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';

/** A function that the model may call. */
export interface Tool {
  name: string;
  parameters: unknown;
}

/** A chat request with the parts that this gateway acts on. */
export interface ChatRequest {
  model: string;
  /** All texts of all messages. */
  context: string;
  /** What the user said last. */
  prompt: string;
  /** What a tool answered last, when that was the last message. */
  toolResult: string | undefined;
  choices: number;
  maxTokens: number | undefined;
  stop: readonly string[];
  tools: readonly Tool[];
  /** Whether a tool has to be called, and which. */
  forced: 'no' | 'never' | 'any' | { name: string };
  parallel: boolean;
  json: { schema: unknown } | undefined;
  draws: boolean;
  thinks: boolean;
  stream: boolean;
  includeUsage: boolean;
}

const mostChoices = 128;

/** The most tools or stop texts of one request. */
const mostEntries = 128;

/** Roles that always say something; an assistant may only call tools. */
const speakers = new Set(['system', 'developer', 'user', 'tool']);

/** Reads a request, or refuses it with a sentence that names the field. */
export function readChat(body: ChatParams): ChatRequest {
  const { messages, extra_body: extra } = body;
  if (messages.length === 0) throw invalidParameter('`messages` must not be empty');
  const texts = messages.map(({ role, content }, index) => {
    const field = `messages[${index}]`;
    const silent = content === undefined || content === null;
    if (silent && speakers.has(role)) throw invalidParameter(`\`${field}.content\` is required`);
    return textOf(content, field);
  });
  const last = messages.length - 1;
  const user = messages.findLastIndex((message) => message.role === 'user');
  return {
    model: body.model,
    context: texts.join('\n'),
    prompt: texts[user] ?? texts[last] ?? '',
    toolResult: messages[last]?.role === 'tool' ? texts[last] : undefined,
    choices: count(body.n, 'n', mostChoices) ?? 1,
    maxTokens:
      count(body.max_completion_tokens, 'max_completion_tokens') ??
      count(body.max_tokens, 'max_tokens'),
    stop: stops(body.stop),
    tools: readTools(body.tools),
    forced: readForced(body.tool_choice),
    parallel: body.parallel_tool_calls !== false,
    json: readFormat(body.response_format),
    draws: extra?.image_config !== undefined || wants(body.modalities, 'image'),
    thinks: readThinking(body, extra),
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
  };
}

function textOf(content: unknown, field: string): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) {
    throw invalidParameter(`\`${field}.content\` must be a string or an array of parts`);
  }
  return content
    .map((part: unknown, index) => partText(part, `${field}.content[${index}]`))
    .join(' ');
}

function partText(part: unknown, field: string): string {
  if (!isRecord(part) || typeof part.type !== 'string') {
    throw invalidParameter(`\`${field}\` must be an object with a \`type\``);
  }
  if (part.type !== 'text') return '';
  if (typeof part.text === 'string') return part.text;
  throw invalidParameter(`\`${field}.text\` must be a string`);
}

function count(value: unknown, field: string, most = Infinity): number | undefined {
  if (value === undefined || value === null) return undefined;
  const fits = Number.isInteger(value) && typeof value === 'number' && value >= 1 && value <= most;
  if (fits) return value;
  const upTo = most === Infinity ? '' : ` and at most ${most}`;
  throw invalidParameter(`\`${field}\` must be an integer of at least 1${upTo}`);
}

function stops(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  mustBeShort(list, 'stop');
  return list.map((entry) => {
    if (typeof entry === 'string') return entry;
    throw invalidParameter('`stop` must be a string or an array of strings');
  });
}

function mustBeShort(list: readonly unknown[], field: string): void {
  if (list.length <= mostEntries) return;
  throw invalidParameter(`\`${field}\` must have at most ${mostEntries} entries`);
}

function readTools(value: unknown): Tool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidParameter('`tools` must be an array');
  mustBeShort(value, 'tools');
  return value.map((entry: unknown, index) => {
    const definition = isRecord(entry) ? entry.function : undefined;
    if (isRecord(definition) && typeof definition.name === 'string') {
      return { name: definition.name, parameters: definition.parameters };
    }
    throw invalidParameter(`\`tools[${index}].function.name\` is required`);
  });
}

function readForced(value: unknown): ChatRequest['forced'] {
  if (value === undefined || value === null || value === 'auto') return 'no';
  if (value === 'none') return 'never';
  if (value === 'required') return 'any';
  const named = isRecord(value) ? value.function : undefined;
  if (isRecord(named) && typeof named.name === 'string') return { name: named.name };
  throw invalidParameter('`tool_choice` must be none, auto, required or name a function');
}

function readFormat(value: unknown): ChatRequest['json'] {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw invalidParameter('`response_format` must be an object');
  switch (value.type) {
    case 'json_object':
      return { schema: { type: 'object', properties: { answer: { type: 'string' } } } };
    case 'json_schema': {
      const format = value.json_schema;
      if (isRecord(format)) return { schema: format.schema ?? { type: 'object' } };
      throw invalidParameter('`response_format.json_schema` must be an object');
    }
    default:
      return undefined;
  }
}

function readThinking(body: ChatParams, extra: Record<string, unknown> | undefined): boolean {
  const effort = body.reasoning_effort;
  if (typeof effort === 'string') return effort !== 'none';
  for (const options of [body, extra]) {
    if (options?.enable_thinking === true) return true;
    const thinking = options?.thinking;
    if (isRecord(thinking) && thinking.type === 'enabled') return true;
  }
  return /reason|think/i.test(body.model);
}

function wants(value: unknown, kind: string): boolean {
  return Array.isArray(value) && value.includes(kind);
}
