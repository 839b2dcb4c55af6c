import { effect, untracked } from '@preact/signals';
import { DefaultChatTransport } from 'ai';
import type { UIMessage } from 'ai';
import type { ChatParams } from 'polygate';

import type { ResponseMetadata } from '../../shared/ai-sdk.ts';
import type { Problem } from '../../shared/problem.ts';
import { toProblem } from '../../shared/problem.ts';
import { backend } from '../backend/server.ts';
import { aiSdkStatus } from './chat-settings.ts';
import { SignalChat } from './signal-chat.ts';
import { activeResponse, changeTurn, readHistory } from './turns.ts';
import type { Turn } from './turns.ts';

type Message = UIMessage<ResponseMetadata>;

/** The chat whose requests are sent with `streamText`. */
export const aiSdkChat = new SignalChat<Message>({
  transport: new DefaultChatTransport({ api: '/api/chat', fetch: backend.fetch }),
});

effect(() => {
  aiSdkStatus.value = aiSdkChat.status;
});

/** Streams a response through the AI SDK. Returns how it ended. */
export async function streamThroughAiSdk(
  { id, requestId }: Turn,
  params: ChatParams,
): Promise<Partial<Turn>> {
  const messages = readHistory().map(toMessage);
  const question = messages.at(-1);
  aiSdkChat.messages = messages.slice(0, -1);
  let isStopped = false;
  activeResponse.value = {
    abort() {
      isStopped = true;
      void aiSdkChat.stop();
    },
  };
  const stopCopying = effect(() => {
    const response = aiSdkChat.messages[messages.length];
    if (response !== undefined) untracked(() => changeTurn(id, readMessage(response)));
  });
  await aiSdkChat.sendMessage(question, { body: { ...toBody(params), requestId } });
  stopCopying();
  // As in `useChat`, a failure is a status and an error, and never rejects.
  const { error } = aiSdkChat;
  if (isStopped) return { state: 'stopped' };
  if (error === undefined) return { state: 'done' };
  return { state: 'failed', problem: receivedProblem(error) };
}

/** The problem that the route has sent as the text of an error, or another error. */
function receivedProblem(error: Error): Problem {
  try {
    return JSON.parse(error.message);
  } catch {
    return toProblem(error);
  }
}

/** What the route needs in addition to the messages, under the names of the AI SDK. */
function toBody({ model, messages, temperature, top_p, max_tokens }: ChatParams): object {
  const instructions = messages.find(({ role }) => role === 'system')?.content;
  return { model, instructions, temperature, topP: top_p, maxOutputTokens: max_tokens };
}

function toMessage({ id, role, text }: Turn): Message {
  return { id, role, parts: [{ type: 'text', text }] };
}

function readMessage({ parts, metadata }: Message): Partial<Turn> {
  const textOf = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    state: 'streaming',
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    ...metadata,
  };
}
