import type { ToolCall } from '../schemas/chat-params.ts';
import type { ChatRequest } from './chat-request.ts';
import { hash, pick, seededRandom } from './random.ts';
import { sample } from './sample.ts';
import { promptSvg } from './svg.ts';
import { callsFor } from './tool-calls.ts';
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

/** What the model says: the same request and seed always give the same answer. */
export function replyTo(request: ChatRequest, seed: string): Reply {
  const choices = Array.from({ length: request.choices }, (_, index) =>
    choiceOf(request, `${seed} ${request.model} ${request.context} ${index}`, index),
  );
  const reasoningTokens = sum(choices.map((choice) => tokens(choice.reasoning ?? '')));
  return {
    choices,
    promptTokens: Math.max(1, tokens(request.context)),
    completionTokens: reasoningTokens + sum(choices.map(outputTokens)),
    reasoningTokens,
  };
}

function choiceOf(request: ChatRequest, seed: string, index: number): ReplyChoice {
  const reasoning = request.thinks ? think(request) : undefined;
  const toolCalls = callsFor(request, seed);
  if (toolCalls.length > 0) {
    return { reasoning, content: null, toolCalls, images: [], finish: 'tool_calls' };
  }
  const room = (request.maxTokens ?? Infinity) - tokens(reasoning ?? '');
  const { text, finish } = shorten(request, textFor(request, seed), room);
  const images = request.draws ? [imageUrl(request.prompt, index)] : [];
  return { reasoning, content: text, toolCalls: [], images, finish };
}

function think(request: ChatRequest): string {
  return `The user wants to know about "${excerpt(request.prompt, 12)}". I answer in a few words.`;
}

function textFor(request: ChatRequest, seed: string): string {
  if (request.json !== undefined) {
    return JSON.stringify(sample(request.json.schema, excerpt(request.prompt, 20)), null, 1);
  }
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
  const parts = pieces(text.trim());
  return parts.length <= most ? parts.join('') : `${parts.slice(0, most).join('')} …`;
}

function imageUrl(prompt: string, index: number): string {
  const svg = promptSvg(prompt, index, 'drawn in a chat');
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
