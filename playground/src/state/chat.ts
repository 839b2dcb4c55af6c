import { computed, signal } from '@preact/signals';

import { announce } from './announce.ts';
import type { ApiCall } from './api-call.ts';
import { chatModel, throughAiSdk, toParams } from './chat-settings.ts';
import { streamDirectly } from './direct-chat.ts';
import { focusSoon } from './focus.ts';
import { activeResponse, addTurn, changeTurn, readHistory, removeTurns, turns } from './turns.ts';
import type { Turn } from './turns.ts';

/** The text in the composer. */
export const draft = signal('');

/** The message that the composer edits. Sending replaces it and everything after it. */
export const editedTurn = signal<string | undefined>(undefined);

/** The call that sends the text in the composer; undefined until the models are loaded. */
export const nextCall = computed((): ApiCall | undefined => {
  const model = chatModel.value;
  if (model === undefined) return undefined;
  const content = draft.value.trim() || 'Describe a harbor at dawn';
  const history = readHistory().map(({ role, text }) => ({ role, content: text }));
  const params = toParams(model, [...history, { role: 'user', content }]);
  return { kind: 'chat', params, isAiSdk: throughAiSdk.value };
});

/** Sends a message and streams the response, which may replace others. */
export async function sendMessage(text: string, replaces: Partial<Turn> = {}): Promise<void> {
  const model = chatModel.value;
  if (model === undefined || activeResponse.value !== undefined) return;
  const isAiSdk = throughAiSdk.value;
  addTurn({ role: 'user', text, model, isAiSdk, state: 'done' });
  await requestResponse(model, isAiSdk, replaces);
}

/** Streams a response to the conversation so far. */
async function requestResponse(
  model: string,
  isAiSdk: boolean,
  changes: Partial<Turn>,
): Promise<void> {
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
    ...changes,
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

/** Requests another response in place of one that has ended, with the current settings. */
export async function regenerate(id: string): Promise<void> {
  const index = turns.value.findIndex((turn) => turn.id === id);
  const model = chatModel.value;
  if (index === -1 || model === undefined || activeResponse.value !== undefined) return;
  focusSoon('.thread-box');
  await requestResponse(model, throughAiSdk.value, { replaced: removeTurns(index) });
}

/** Sends a message again whose response failed, and keeps that response, because it may have been charged. */
export async function tryAgain(id: string): Promise<void> {
  const failed = turns.value.find((turn) => turn.id === id);
  const model = chatModel.value;
  if (failed === undefined || model === undefined || activeResponse.value !== undefined) return;
  focusSoon('.thread-box');
  changeTurn(id, { repeatedAt: Date.now() });
  // The second try of one call has the same request id.
  await requestResponse(model, throughAiSdk.value, { requestId: failed.requestId });
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
  focusSoon('[data-main-input]');
}
