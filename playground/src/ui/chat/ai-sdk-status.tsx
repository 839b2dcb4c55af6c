import { backend } from '../../backend/server.ts';
import { aiSdkStatus, throughAiSdk } from '../../state/chat-settings.ts';

/** Explains the AI SDK's switch while it is on, and shows the status that `useChat` would report. */
export function AiSdkStatus() {
  if (!throughAiSdk.value) return null;
  const status = aiSdkStatus.value;
  return (
    <p class="ai-sdk-status">
      {backend.isInPage ? 'This page' : 'The server'} calls <code>streamText</code> of the AI SDK,
      and the conversation is the chat state of <code>useChat</code>. Status:{' '}
      <span class={status === 'error' ? 'tag tag-lost' : 'tag'}>{status}</span>
    </p>
  );
}
