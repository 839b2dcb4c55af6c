import { extractImages } from 'polygate';
import type { ChatCompletionChunk, ChatMessage, ChatStream, ChatUsage } from 'polygate';
import { signal } from '@preact/signals';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { problemOf } from './problem.ts';
import type { Problem } from './problem.ts';

/** A turn of the conversation. */
export interface Turn {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  thought: string;
  images: readonly string[];
  model: string;
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'broken';
  usage?: ChatUsage | undefined;
  costUsd?: number | undefined;
  problem?: Problem | undefined;
}

/** The conversation. */
export const turns = signal<readonly Turn[]>([]);

/** The answer that is being given. */
export const answering = signal<ChatStream | undefined>(undefined);

/** Says something, and streams the answer in. */
export async function ask(text: string, model: string): Promise<void> {
  const messages: ChatMessage[] = [
    ...turns.value
      .map(({ role, text: content }) => ({ role, content }))
      .filter(({ content }) => content !== ''),
    { role: 'user', content: text },
  ];
  add({ role: 'user', text, model, state: 'done' });
  const id = add({ role: 'assistant', text: '', model, state: 'waiting' });
  const stream = gateway.chat.completions.stream(
    { model, messages, stream_options: { include_usage: true } },
    { requestId: id },
  );
  answering.value = stream;
  try {
    for await (const chunk of stream) append(id, chunk);
    const images = extractImages(await stream.final()).map(({ url }) => url);
    change(id, { state: 'done', images });
    announce('The answer is complete.');
  } catch (error) {
    const problem = problemOf(error);
    const stopped = problem.name === 'AbortedError';
    change(id, stopped ? { state: 'stopped' } : { state: 'broken', problem });
    announce(stopped ? 'Stopped.' : `The answer broke off: ${problem.name}.`);
  } finally {
    change(id, { costUsd: stream.meta?.chargeUsd });
    answering.value = undefined;
  }
}

/** Asks once more for an answer that broke off, in its place. */
export async function askAgain(id: string): Promise<void> {
  const at = turns.value.findIndex((turn) => turn.id === id);
  const question = turns.value[at - 1];
  if (question === undefined) return;
  turns.value = turns.value.slice(0, at - 1);
  await ask(question.text, question.model);
}

/** Ends the answer that is being given; what has come stays. */
export function stop(): void {
  answering.value?.abort();
}

/** Begins a new conversation. */
export function forget(): void {
  stop();
  turns.value = [];
}

function append(id: string, { choices: [choice], usage }: ChatCompletionChunk): void {
  const turn = turns.value.find((one) => one.id === id);
  if (turn === undefined) return;
  const thought = choice?.delta.reasoning_content ?? '';
  change(id, {
    state: 'streaming',
    text: turn.text + (choice?.delta.content ?? ''),
    thought: turn.thought + thought,
    usage: usage ?? turn.usage,
  });
}

function add(turn: Pick<Turn, 'role' | 'text' | 'model' | 'state'>): string {
  const id = crypto.randomUUID();
  turns.value = [...turns.value, { id, thought: '', images: [], ...turn }];
  return id;
}

function change(id: string, changes: Partial<Turn>): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn));
}
