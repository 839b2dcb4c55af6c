import { signal } from '@preact/signals';

import type { Tokens } from '../../shared/ai-sdk.ts';
import type { Problem } from '../../shared/problem.ts';
import type { ApiCall } from './api-call.ts';
import { lab } from './lab.ts';

/** One message of the conversation. */
export interface Turn {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  reasoning: string;
  images: readonly string[];
  model: string;
  state: 'pending' | 'streaming' | 'done' | 'stopped' | 'failed';
  /** Whether the AI SDK carried the message. */
  isAiSdk: boolean;
  /** The request id of a response, which a message that is sent again after a failure keeps. */
  requestId: string;
  /** When the message was sent, in Unix milliseconds. */
  at: number;
  /** When it was sent again after a failure. It stays in the conversation with its own charge, and is not sent to the model. */
  repeatedAt?: number | undefined;
  /** The responses that this one has replaced, which may have been charged as well. */
  replaced: readonly Turn[];
  /** The call of a response. */
  call?: ApiCall | undefined;
  tokens?: Tokens | undefined;
  costUsd?: number | undefined;
  problem?: Problem | undefined;
}

/** The conversation. */
export const turns = signal<readonly Turn[]>([]);

/** The response that is being generated. */
export const activeResponse = signal<{ abort: () => void } | undefined>(undefined);

/** Adds a message and returns it. */
export function addTurn(
  turn: Pick<Turn, 'role' | 'text' | 'model' | 'state' | 'isAiSdk'> & Partial<Turn>,
): Turn {
  const id = crypto.randomUUID();
  const added = {
    id,
    requestId: id,
    at: Date.now(),
    replaced: [],
    reasoning: '',
    images: [],
    ...turn,
  };
  turns.value = [...turns.value, added];
  return added;
}

/** Removes the messages from an index on, and returns their responses with those that they had replaced. */
export function removeTurns(index: number): readonly Turn[] {
  const removed = turns.value.slice(index);
  turns.value = turns.value.slice(0, index);
  return removed.flatMap((turn) => (turn.role === 'user' ? [] : [...turn.replaced, turn]));
}

/** The charges for a response and for those that it has replaced, in USD. */
export function chargesOf(turn: Turn): readonly number[] {
  const { replaced, requestId, at, repeatedAt = Infinity, costUsd } = turn;
  // Only the invoice has the charges whose responses were lost. It may arrive later, and a reset empties it.
  const lines =
    lab.value?.invoice?.filter(
      (line) => line.requestId === requestId && line.at >= at && line.at < repeatedAt,
    ) ?? [];
  const own = lines.length > 0 || costUsd === undefined ? lines.map(({ usd }) => usd) : [costUsd];
  return [...replaced.flatMap(chargesOf), ...own];
}

/** Changes a message. */
export function changeTurn(id: string, changes: Partial<Turn>): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn));
}

/** The messages to send: all that have text, without responses that were requested again. */
export function readHistory(): readonly Turn[] {
  return turns.value.filter(({ text, repeatedAt }) => text !== '' && repeatedAt === undefined);
}
