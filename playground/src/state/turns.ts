import { signal } from '@preact/signals';

import type { Tokens } from '../../shared/ai-sdk.ts';
import type { ApiCall } from './api-call.ts';
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
  /** Whether the AI SDK carried the message. */
  isAiSdk: boolean;
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

/** Adds a message and returns its id. */
export function addTurn(
  turn: Pick<Turn, 'role' | 'text' | 'model' | 'state' | 'isAiSdk' | 'call'>,
): string {
  const id = crypto.randomUUID();
  turns.value = [...turns.value, { id, reasoning: '', images: [], ...turn }];
  return id;
}

/** Changes a message. */
export function changeTurn(id: string, changes: Partial<Turn>): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn));
}

/** The messages to send: all that have text. */
export function readHistory(): readonly Turn[] {
  return turns.value.filter(({ text }) => text !== '');
}
