import { aiSdkChat } from '../../state/ai-sdk-chat.ts';
import { throughAiSdk } from '../../state/chat.ts';

/** Sends the next messages through the AI SDK, or through the page's client. */
export function AiSdkSwitch() {
  return (
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        checked={throughAiSdk.value}
        onChange={({ currentTarget }) => {
          throughAiSdk.value = currentTarget.checked;
        }}
      />
      Through the AI SDK
    </label>
  );
}

/** Explains the switch while it is on, and shows what `useChat` would report. */
export function AiSdkStatus() {
  if (!throughAiSdk.value) return null;
  const { status } = aiSdkChat;
  return (
    <p class="note ai-sdk-status">
      The server calls <code>streamText</code>, and this page uses the chat state of{' '}
      <code>useChat</code>. Status:{' '}
      <span class={status === 'error' ? 'tag tag-lost' : 'tag'}>{status}</span>
    </p>
  );
}
