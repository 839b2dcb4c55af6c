import type { ToolCall } from '../../wire/types/chat/params.ts';
import { imageFile } from '../media/image.ts';
import type { Settings } from '../options.ts';
import { hash, pick, seededRandom } from '../random.ts';
import type { ScriptedReply } from './replies.ts';
import type { ChatRequest } from './request.ts';
import { sampleValue, selectToolCalls, withCallIds } from './sample.ts';

/** The fields that a completion shares with each of its chunks. */
export interface CompletionBase {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

/** A completion before it is converted to JSON or to events. */
export interface GeneratedCompletion {
  base: CompletionBase;
  output: ChatOutput;
}

/** One choice of the model's output. */
export interface OutputChoice {
  reasoning: string | undefined;
  content: string | null;
  /** The parts in which a stream sends the content. @defaultValue its tokens */
  chunks?: readonly string[] | undefined;
  toolCalls: ToolCall[];
  /** Data URLs. */
  images: string[];
  finishReason: 'stop' | 'length' | 'tool_calls';
}

/** The complete output of the model. It is the same whether the response is streamed or not. */
export interface ChatOutput {
  choices: OutputChoice[];
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Maximum length of a quoted prompt or tool result, in tokens. */
const maxQuoteTokens = 200;

/** Maximum number of characters processed where a prefix of the text is enough. */
const maxScanLength = 10_000;

/** Returns the scripted output, or generates some. The same request and seed always produce the same output. */
export function generateOutput(
  request: ChatRequest,
  { seed, imageFormat }: Pick<Settings, 'seed' | 'imageFormat'>,
  reply?: ScriptedReply,
): ChatOutput {
  const { context } = request;
  // Each choice has its own seed; a long context is hashed once for all of them.
  const contextKey = context.length > maxScanLength ? String(hash(context)) : context;
  const shared = {
    functionCalls: selectToolCalls(request),
    structured: structuredText(request),
    imageFormat,
  };
  const choices = Array.from({ length: request.choices }, (_, index) => {
    const choiceSeed = `${seed} ${request.model} ${contextKey} ${index}`;
    return reply
      ? scriptedChoice(reply, choiceSeed)
      : generateChoice(request, shared, choiceSeed, index);
  });
  const reasoningTokens = sum(choices.map((choice) => countTokens(choice.reasoning ?? '')));
  return {
    choices,
    promptTokens: Math.max(1, countTokens(request.context)),
    completionTokens: reasoningTokens + sum(choices.map(outputTokens)),
    reasoningTokens,
  };
}

function scriptedChoice({ text, chunks, toolCalls }: ScriptedReply, seed: string): OutputChoice {
  const shared = { reasoning: undefined, images: [] };
  if (toolCalls === undefined) {
    const content = text ?? chunks?.join('') ?? '';
    return { ...shared, content, chunks, toolCalls: [], finishReason: 'stop' };
  }
  const calls = toolCalls.map((call) => ({
    name: call.name,
    arguments: JSON.stringify(call.arguments ?? {}),
  }));
  const finishReason = 'tool_calls';
  return { ...shared, content: null, toolCalls: withCallIds(calls, seed), finishReason };
}

function generateChoice(
  request: ChatRequest,
  /** What is identical in every choice, so it is generated once. */
  {
    functionCalls,
    structured,
    imageFormat,
  }: {
    functionCalls: readonly ToolCall['function'][];
    structured: string | undefined;
    imageFormat: 'png' | 'svg';
  },
  seed: string,
  index: number,
): OutputChoice {
  const reasoning = request.wantsReasoning ? reasoningText(request) : undefined;
  if (functionCalls.length > 0) {
    const toolCalls = withCallIds(functionCalls, seed);
    return { reasoning, content: null, toolCalls, images: [], finishReason: 'tool_calls' };
  }
  const tokensLeft = (request.maxTokens ?? Infinity) - countTokens(reasoning ?? '');
  const text = structured ?? plainText(request, seed);
  const { content, finishReason } = truncate(request, text, tokensLeft);
  const images = request.wantsImages ? [imageUrl(request.prompt, index, imageFormat)] : [];
  return { reasoning, content, toolCalls: [], images, finishReason };
}

function reasoningText({ prompt }: ChatRequest): string {
  return `The user is asking me about "${excerpt(prompt, 12)}". I will keep the answer short.`;
}

/** Returns the JSON that `response_format` requests, if any. */
function structuredText({ jsonFormat, prompt, choices }: ChatRequest): string | undefined {
  if (jsonFormat === undefined) return undefined;
  return JSON.stringify(sampleValue(jsonFormat.schema, excerpt(prompt, 20), choices), null, 1);
}

function plainText(request: ChatRequest, seed: string): string {
  const random = seededRandom(seed);
  const closing = `${pick(openings, random)} ${pick(middles, random)} ${pick(endings, random)}.`;
  if (request.toolResult !== undefined) {
    return `The tool says: ${punctuated(excerpt(request.toolResult, maxQuoteTokens))} ${closing}`;
  }
  return `You said: ${punctuated(excerpt(request.prompt, maxQuoteTokens))} ${closing}`;
}

/** Truncates the text at the first stop sequence and at the token limit. */
function truncate(
  request: ChatRequest,
  text: string,
  maxTokens: number,
): { content: string; finishReason: 'stop' | 'length' } {
  const stops = request.stop.filter((stop) => stop !== '').map((stop) => text.indexOf(stop));
  const end = Math.min(text.length, ...stops.filter((position) => position >= 0));
  const content = text.slice(0, end);
  const tokens = splitTokens(content);
  if (tokens.length <= maxTokens) return { content, finishReason: 'stop' };
  return { content: tokens.slice(0, Math.max(0, maxTokens)).join(''), finishReason: 'length' };
}

/** Appends a full stop unless the text already ends with punctuation. */
function punctuated(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function excerpt(text: string, maxTokens: number): string {
  const trimmed = text.trim();
  // Do not cut a surrogate pair in half.
  const prefix = trimmed.slice(0, maxScanLength).replace(/[\uD800-\uDBFF]$/, '');
  const tokens = splitTokens(prefix);
  if (prefix.length < trimmed.length && tokens.length <= maxTokens) return `${prefix} …`;
  return tokens.length <= maxTokens ? tokens.join('') : `${tokens.slice(0, maxTokens).join('')} …`;
}

function imageUrl(prompt: string, index: number, format: 'png' | 'svg'): string {
  const footnote = 'generated in a chat';
  const shown = excerpt(prompt, maxQuoteTokens);
  const { type, body } = imageFile({ prompt: shown, variant: String(index), footnote }, format);
  return `data:${type};base64,${base64(body)}`;
}

function base64(content: string | Uint8Array): string {
  let binary = '';
  for (const byte of typeof content === 'string' ? new TextEncoder().encode(content) : content) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary);
}

/**
 * Splits text into the tokens in which it is streamed: words with the whitespace before them, and
 * long words in several parts. Joined, the tokens are the original text.
 */
export function splitTokens(text: string): string[] {
  return text.match(/\s*\S{1,16}|\s+$/gu) ?? [];
}

function countTokens(text: string): number {
  return splitTokens(text).length;
}

function outputTokens(choice: OutputChoice): number {
  const calls = choice.toolCalls.map((call) => 1 + countTokens(call.function.arguments));
  return countTokens(choice.content ?? '') + sum(calls);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const openings = ['This response', 'Every word here', 'What you read', 'This short text'] as const;
const middles = ['was written by', 'comes straight from', 'was put together by'] as const;
const endings = [
  'the reference gateway',
  'a gateway that costs nothing',
  'code, not a model',
] as const;
