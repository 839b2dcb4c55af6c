import type { ToolCall } from '../../schemas/chat-params.ts';
import type { ChatRequest } from './request.ts';
import { hash, pick, seededRandom } from '../random.ts';
import { sample } from './sample-json.ts';
import { promptSvg } from '../media/svg.ts';
import { calledBy, toolCalls } from './tool-calls.ts';
import { pieces, tokens } from './words.ts';

/** One answer of the model. */
export interface ReplyChoice {
  reasoning: string | undefined;
  content: string | null;
  toolCalls: ToolCall[];
  /** Data URLs. */
  images: string[];
  finish: 'stop' | 'length' | 'tool_calls';
}

/** Everything the model answers; streamed or not, it is this. */
export interface Reply {
  choices: ReplyChoice[];
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** The most of a prompt that is said back, pieces. */
const echoed = 200;

/** The most of a prompt that is looked at where a part of it will do, characters. */
const longest = 10_000;

/** What the model says: the same request and seed always give the same answer. */
export function replyTo(request: ChatRequest, seed: string): Reply {
  const { context } = request;
  // Each choice has a seed of its own; a long text is hashed once for all of them.
  const said = context.length > longest ? String(hash(context)) : context;
  const made = { called: calledBy(request), structured: structuredText(request) };
  const choices = Array.from({ length: request.choices }, (_, index) =>
    choiceOf(request, made, `${seed} ${request.model} ${said} ${index}`, index),
  );
  const reasoningTokens = sum(choices.map((choice) => tokens(choice.reasoning ?? '')));
  return {
    choices,
    promptTokens: Math.max(1, tokens(request.context)),
    completionTokens: reasoningTokens + sum(choices.map(outputTokens)),
    reasoningTokens,
  };
}

/** What is the same in every choice, and costly enough to be made once. */
interface Made {
  called: readonly ToolCall['function'][];
  structured: string | undefined;
}

function choiceOf(
  request: ChatRequest,
  { called, structured }: Made,
  seed: string,
  index: number,
): ReplyChoice {
  const reasoning = request.thinks ? think(request) : undefined;
  if (called.length > 0) {
    const calls = toolCalls(called, seed);
    return { reasoning, content: null, toolCalls: calls, images: [], finish: 'tool_calls' };
  }
  const room = (request.maxTokens ?? Infinity) - tokens(reasoning ?? '');
  const { text, finish } = shorten(request, structured ?? textFor(request, seed), room);
  const images = request.draws ? [imageUrl(request.prompt, index)] : [];
  return { reasoning, content: text, toolCalls: [], images, finish };
}

function think(request: ChatRequest): string {
  return `The user wants to know about "${excerpt(request.prompt, 12)}". I answer in a few words.`;
}

/** The JSON that was asked for. */
function structuredText({ json, prompt, choices }: ChatRequest): string | undefined {
  if (json === undefined) return undefined;
  return JSON.stringify(sample(json.schema, excerpt(prompt, 20), choices), null, 1);
}

function textFor(request: ChatRequest, seed: string): string {
  const random = seededRandom(seed);
  const closing = `${pick(openings, random)} ${pick(middles, random)} ${pick(endings, random)}.`;
  if (request.toolResult !== undefined) {
    return `The tool says: ${ended(excerpt(request.toolResult, echoed))} ${closing}`;
  }
  return `You said: ${ended(excerpt(request.prompt, echoed))} ${closing}`;
}

/** A choice may end early: at a stop text, or when its room for tokens is used up. */
function shorten(
  request: ChatRequest,
  whole: string,
  room: number,
): { text: string; finish: 'stop' | 'length' } {
  const ends = request.stop.filter((stop) => stop !== '').map((stop) => whole.indexOf(stop));
  const end = Math.min(whole.length, ...ends.filter((at) => at >= 0));
  const text = whole.slice(0, end);
  const parts = pieces(text);
  if (parts.length <= room) return { text, finish: 'stop' };
  return { text: parts.slice(0, Math.max(0, room)).join(''), finish: 'length' };
}

/** A text as a sentence, which has one full stop at its end. */
function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function excerpt(text: string, most: number): string {
  const trimmed = text.trim();
  // Whole characters only: half of a surrogate pair is no text.
  const start = trimmed.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
  const parts = pieces(start);
  if (start.length < trimmed.length && parts.length <= most) return `${start} …`;
  return parts.length <= most ? parts.join('') : `${parts.slice(0, most).join('')} …`;
}

function imageUrl(prompt: string, index: number): string {
  const svg = promptSvg(excerpt(prompt, echoed), index, 'drawn in a chat');
  return `data:image/svg+xml;base64,${base64(svg)}`;
}

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function outputTokens(choice: ReplyChoice): number {
  const calls = choice.toolCalls.map((call) => 1 + tokens(call.function.arguments));
  return tokens(choice.content ?? '') + sum(calls);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Names a completion: the same request has the same one, streamed or not. */
export function completionId(request: ChatRequest, seed: string): string {
  const text = `${seed} ${request.model} ${request.context} ${request.choices}`;
  const part = (salt: string): string =>
    hash(salt + text)
      .toString(36)
      .padStart(7, '0');
  return `chatcmpl-${part('a')}${part('b')}${part('c')}`;
}

const openings = ['This answer', 'Every word here', 'What you read', 'This little speech'] as const;
const middles = ['was made by', 'comes straight from', 'was put together by'] as const;
const endings = [
  'the reference gateway',
  'a gateway that costs nothing',
  'no model at all',
] as const;
