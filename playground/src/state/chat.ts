import { signal } from '@preact/signals';

import { announce } from './announce.ts';
import { chatModel, throughAiSdk, toParams } from './chat-settings.ts';
import { streamDirectly } from './direct-chat.ts';
import { activeResponse, addTurn, changeTurn, readHistory, removeTurns, turns } from './turns.ts';
import type { Turn } from './turns.ts';

/** The text in the composer. */
export const draft = signal('');

/** The message that the composer edits. Sending replaces it and everything after it. */
export const editedTurn = signal<string | undefined>(undefined);

/** Sends a message and streams the response, which may replace others. */
export async function sendMessage(text: string, replaces: Partial<Turn> = {}): Promise<void> {
  const model = chatModel.value;
  if (model === undefined || activeResponse.value !== undefined) return;
  const isAiSdk = throughAiSdk.value;
  addTurn({ role: 'user', text, model, isAiSdk, state: 'done' });
  const messages = readHistory().map((turn) => ({ role: turn.role, content: turn.text }));
  const params = toParams(model, messages);
  const call = { kind: 'chat', params, isAiSdk } as const;
  const turn = addTurn({
    role: 'assistant',
    text: '',
    model,
    isAiSdk,
    state: 'pending',
    call,
    ...replaces,
  });
  // No second message can be sent while the AI SDK, which is large, is loaded for the first one.
  activeResponse.value = { abort: () => {} };
  const { streamThroughAiSdk } = isAiSdk ? await import('./ai-sdk-chat.ts') : {};
  const end = await (streamThroughAiSdk ?? streamDirectly)(turn, params);
  changeTurn(turn.id, end);
  activeResponse.value = undefined;
  // The note with the error is an alert, which screen readers read by themselves.
  if (end.state === 'stopped') announce('Stopped.');
  else if (end.state === 'done') announce('The response is complete.');
}

/** Sends the text in the composer: as a new message, or in place of the edited one. */
export function sendDraft(): void {
  const text = draft.value.trim();
  if (text === '' || chatModel.value === undefined || activeResponse.value !== undefined) return;
  const index = turns.value.findIndex(({ id }) => id === editedTurn.value);
  const replaced = index === -1 ? [] : removeTurns(index);
  cancelEditing();
  void sendMessage(text, { replaced });
}

/** Puts a message into the composer. */
export function editMessage(id: string): void {
  const turn = turns.value.find((candidate) => candidate.id === id);
  if (turn === undefined) return;
  editedTurn.value = id;
  draft.value = turn.text;
}

/** Empties the composer. */
export function cancelEditing(): void {
  editedTurn.value = undefined;
  draft.value = '';
}

/** Sends the message of a response again, with the current settings, and replaces the response. */
export async function resendMessage(id: string): Promise<void> {
  const index = turns.value.findIndex((turn) => turn.id === id);
  const [question, response] = turns.value.slice(index - 1);
  if (question === undefined || activeResponse.value !== undefined) return;
  await sendMessage(question.text, {
    replaced: removeTurns(index - 1),
    // The second try of one call, unless another response is wanted.
    ...(response?.state === 'failed' && { requestId: response.requestId }),
  });
}

/** Aborts the current response and keeps the text received so far. */
export function stop(): void {
  activeResponse.value?.abort();
}

/** Starts a new conversation. */
export function clearConversation(): void {
  stop();
  cancelEditing();
  turns.value = [];
}
