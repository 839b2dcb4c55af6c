import { signal } from '@preact/signals';

import { streamThroughAiSdk } from './ai-sdk-chat.ts';
import { announce } from './announce.ts';
import { streamDirectly } from './direct-chat.ts';
import { activeResponse, addTurn, changeTurn, turns } from './turns.ts';

/** Whether messages are sent through the AI SDK. */
export const throughAiSdk = signal(false);

/** Sends a message and streams the response. */
export async function sendMessage(text: string, model: string): Promise<void> {
  const isAiSdk = throughAiSdk.value;
  addTurn({ role: 'user', text, model, isAiSdk, state: 'done' });
  const id = addTurn({ role: 'assistant', text: '', model, isAiSdk, state: 'pending' });
  const end = await (isAiSdk ? streamThroughAiSdk : streamDirectly)(id, model);
  changeTurn(id, end);
  activeResponse.value = undefined;
  if (end.state === 'stopped') announce('Stopped.');
  else if (end.problem) announce(`The response failed: ${end.problem.name}.`);
  else announce('The response is complete.');
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
  activeResponse.value?.abort();
}

/** Starts a new conversation. */
export function clearConversation(): void {
  stop();
  turns.value = [];
}
