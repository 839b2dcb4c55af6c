import { aiSdkChat } from '../../state/ai-sdk-chat.ts';
import { throughAiSdk } from '../../state/chat-settings.ts';

/** Explains the AI SDK's switch while it is on, and shows the status that `useChat` would report. */
export function AiSdkStatus() {
  if (!throughAiSdk.value) return null;
  const { status } = aiSdkChat;
  return (
    <p class="ai-sdk-status">
      The server calls <code>streamText</code> of the AI SDK, and this page uses the chat state of{' '}
      <code>useChat</code>. Status:{' '}
      <span class={status === 'error' ? 'tag tag-lost' : 'tag'}>{status}</span>
    </p>
  );
}
