import { signal } from '@preact/signals';
import { extractImages } from 'polygate';
import type { ChatCompletionChunk, ChatMessage, ChatStream, ChatUsage } from 'polygate';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { toProblem } from './problem.ts';
import type { Problem } from './problem.ts';

/** One message of the conversation. */
export interface Turn {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  reasoning: string;
  images: readonly string[];
  model: string;
  state: 'pending' | 'streaming' | 'done' | 'stopped' | 'failed';
  usage?: ChatUsage | undefined;
  costUsd?: number | undefined;
  problem?: Problem | undefined;
}

/** The conversation. */
export const turns = signal<readonly Turn[]>([]);

/** The response that is being generated. */
export const activeStream = signal<ChatStream | undefined>(undefined);

/** Sends a message and streams the response. */
export async function sendMessage(text: string, model: string): Promise<void> {
  const messages: ChatMessage[] = [
    ...turns.value
      .map(({ role, text: content }) => ({ role, content }))
      .filter(({ content }) => content !== ''),
    { role: 'user', content: text },
  ];
  add({ role: 'user', text, model, state: 'done' });
  const id = add({ role: 'assistant', text: '', model, state: 'pending' });
  const stream = gateway.chat.completions.stream(
    { model, messages, stream_options: { include_usage: true } },
    { requestId: id },
  );
  activeStream.value = stream;
  try {
    for await (const chunk of stream) append(id, chunk);
    const images = extractImages(await stream.final()).map(({ url }) => url);
    change(id, { state: 'done', images });
    announce('The response is complete.');
  } catch (error) {
    const problem = toProblem(error);
    const isStopped = problem.name === 'AbortedError';
    change(id, isStopped ? { state: 'stopped' } : { state: 'failed', problem });
    announce(isStopped ? 'Stopped.' : `The response failed: ${problem.name}.`);
  } finally {
    change(id, { costUsd: stream.meta?.chargeUsd });
    activeStream.value = undefined;
  }
}

/** Sends the message of a failed response again, and replaces the response. */
export async function resendMessage(id: string): Promise<void> {
  const index = turns.value.findIndex((turn) => turn.id === id);
  const question = turns.value[index - 1];
  if (question === undefined) return;
  turns.value = turns.value.slice(0, index - 1);
  await sendMessage(question.text, question.model);
}

/** Aborts the current response and keeps the text received so far. */
export function stop(): void {
  activeStream.value?.abort();
}

/** Starts a new conversation. */
export function clearConversation(): void {
  stop();
  turns.value = [];
}

function append(id: string, { choices: [choice], usage }: ChatCompletionChunk): void {
  const turn = turns.value.find((candidate) => candidate.id === id);
  if (turn === undefined) return;
  change(id, {
    state: 'streaming',
    text: turn.text + (choice?.delta.content ?? ''),
    reasoning: turn.reasoning + (choice?.delta.reasoning_content ?? ''),
    usage: usage ?? turn.usage,
  });
}

function add(turn: Pick<Turn, 'role' | 'text' | 'model' | 'state'>): string {
  const id = crypto.randomUUID();
  turns.value = [...turns.value, { id, reasoning: '', images: [], ...turn }];
  return id;
}

function change(id: string, changes: Partial<Turn>): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn));
}
