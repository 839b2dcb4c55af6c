import type * as z from 'zod/mini';

import type { ChatBody } from '../../wire/schemas/bodies.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { invalidParameter } from '../http/response.ts';
import { describeIssue } from '../http/validate.ts';
import { assistantFields, chatFields, contentParts } from './schemas.ts';

/** A function that the model may call. */
export interface Tool {
  name: string;
  parameters: unknown;
}

/** The parts of a chat request that affect this gateway's response. */
export interface ChatRequest {
  model: string;
  /** The text of all messages. */
  context: string;
  /** The text of the last user message. */
  prompt: string;
  /** The text of the last message if it is a tool result. */
  toolResult: string | undefined;
  choices: number;
  maxTokens: number | undefined;
  stop: readonly string[];
  tools: readonly Tool[];
  toolChoice: 'auto' | 'none' | 'required' | { name: string };
  parallelToolCalls: boolean;
  /** The JSON schema of the requested output, if any. */
  jsonFormat: { schema: unknown } | undefined;
  wantsImages: boolean;
  wantsReasoning: boolean;
  stream: boolean;
  includeUsage: boolean;
}

type ChatFields = z.infer<typeof chatFields>;

const maxChoices = 128;

/** Maximum number of tools, and of stop sequences, in one request. */
const maxEntries = 128;

/** Roles whose messages require content. An assistant message may contain only tool calls. */
const rolesWithContent = new Set(['system', 'developer', 'user', 'tool']);

/** Parses a chat request, or throws an error that names the invalid field. */
export function parseChatRequest(body: ChatBody & Record<string, unknown>): ChatRequest {
  const { messages, extra_body: extra } = body;
  if (messages.length === 0) throw invalidParameter('`messages` must not be empty');
  const { tools, response_format: format, ...fields } = check(chatFields, body, body);
  const texts = fields.messages.map(({ role, content, tool_call_id: call }, index) => {
    const field = `messages[${index}]`;
    if (role === 'assistant') check(assistantFields, messages[index], body, ['messages', index]);
    if (role === 'tool' && typeof call !== 'string') {
      throw invalidParameter(`\`${field}.tool_call_id\` is required`);
    }
    const missing = content === undefined || content === null;
    if (missing && rolesWithContent.has(role)) {
      throw invalidParameter(`\`${field}.content\` is required`);
    }
    return contentText(content, index, body);
  });
  const last = messages.length - 1;
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  return {
    model: body.model,
    context: texts.join('\n'),
    prompt: texts[lastUser] ?? texts[last] ?? '',
    toolResult: messages[last]?.role === 'tool' ? texts[last] : undefined,
    choices: parseCount(body.n, 'n', maxChoices) ?? 1,
    maxTokens:
      parseCount(body.max_completion_tokens, 'max_completion_tokens') ??
      parseCount(body.max_tokens, 'max_tokens'),
    stop: parseStop(body.stop),
    tools: parseTools(tools),
    toolChoice: parseToolChoice(body.tool_choice),
    parallelToolCalls: fields.parallel_tool_calls !== false,
    jsonFormat: parseResponseFormat(format),
    wantsImages: extra?.image_config !== undefined || fields.modalities?.includes('image') === true,
    wantsReasoning: requestsReasoning(body, extra),
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
  };
}

/** Checks the value at `path` of the body, or throws an error that names the field. */
function check<Output>(
  schema: z.ZodMiniType<Output>,
  value: unknown,
  body: unknown,
  path: readonly PropertyKey[] = [],
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  throw invalidParameter(describeIssue(issues, body));
}

function contentText(content: unknown, message: number, body: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const field = `messages[${message}].content`;
  if (!Array.isArray(content)) {
    throw invalidParameter(`\`${field}\` must be a string or an array of parts`);
  }
  return content
    .map((part: unknown, index) => {
      const { type, text } = isRecord(part) ? part : {};
      const schema = contentParts.get(type);
      if (schema === undefined) {
        const types = [...contentParts.keys()].map((known) => JSON.stringify(known));
        throw invalidParameter(
          `\`${field}[${index}]\` must be an object whose \`type\` is ${types.join(' or ')}`,
        );
      }
      check(schema, part, body, ['messages', message, 'content', index]);
      return typeof text === 'string' ? text : '';
    })
    .join(' ');
}

function parseCount(value: unknown, field: string, max = Infinity): number | undefined {
  if (value === undefined || value === null) return undefined;
  const valid = Number.isInteger(value) && typeof value === 'number' && value >= 1 && value <= max;
  if (valid) return value;
  const range = max === Infinity ? 'of at least 1' : `from 1 to ${max}`;
  throw invalidParameter(`\`${field}\` must be an integer ${range}`);
}

function parseStop(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  checkLength(list, 'stop');
  return list.map((entry) => {
    if (typeof entry === 'string') return entry;
    throw invalidParameter('`stop` must be a string or an array of strings');
  });
}

function checkLength(list: readonly unknown[], field: string): void {
  if (list.length <= maxEntries) return;
  throw invalidParameter(`\`${field}\` must have at most ${maxEntries} entries`);
}

function parseTools(tools: ChatFields['tools']): Tool[] {
  checkLength(tools ?? [], 'tools');
  return (tools ?? []).map(({ function: { name, parameters } }) => ({ name, parameters }));
}

function parseToolChoice(value: unknown): ChatRequest['toolChoice'] {
  if (value === undefined || value === null || value === 'auto') return 'auto';
  if (value === 'none' || value === 'required') return value;
  const { type = 'function', function: named } = isRecord(value) ? value : {};
  if (type === 'function' && isRecord(named) && typeof named.name === 'string') {
    return { name: named.name };
  }
  throw invalidParameter('`tool_choice` must be "none", "auto" or "required", or name a function');
}

function parseResponseFormat(format: ChatFields['response_format']): ChatRequest['jsonFormat'] {
  switch (format?.type) {
    case 'json_object':
      return { schema: { type: 'object', properties: { answer: { type: 'string' } } } };
    case 'json_schema':
      if (format.json_schema) return { schema: format.json_schema.schema ?? { type: 'object' } };
      throw invalidParameter('`response_format.json_schema` is required');
    default:
      return undefined;
  }
}

function requestsReasoning(
  body: Record<string, unknown>,
  extra: Record<string, unknown> | undefined,
): boolean {
  const { reasoning_effort: effort, model } = body;
  if (typeof effort === 'string') return effort !== 'none';
  for (const options of [body, extra]) {
    if (options?.enable_thinking === true) return true;
    const thinking = options?.thinking;
    if (isRecord(thinking) && thinking.type === 'enabled') return true;
  }
  return /reason|think/i.test(String(model));
}
