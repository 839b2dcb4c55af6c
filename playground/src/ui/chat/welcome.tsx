import { sendMessage } from '../../state/chat.ts';

const suggestions = [
  'Describe a harbour at dawn',
  'Explain what an API gateway does',
  'What does an idempotency key do?',
];

/** Shown before the first message: what the playground is, and suggested messages. */
export function Welcome({ model }: { model: string | undefined }) {
  return (
    <div class="welcome">
      <p class="welcome-line">
        One client for every model: <em>break the gateway</em> and watch the client recover.
      </p>
      <p class="welcome-text">
        This page uses the gateway through polygate, without an API key. Inject a fault in the
        control room, then chat or generate something. No task is paid for twice.
      </p>
      <ul class="suggestions">
        {suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button
              type="button"
              class="suggestion"
              disabled={model === undefined}
              onClick={() => void (model !== undefined && sendMessage(suggestion, model))}
            >
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
