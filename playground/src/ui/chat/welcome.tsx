import { suggestions } from '../../../shared/suggestions.ts';
import { chatModel } from '../../state/chat-settings.ts';
import { sendMessage } from '../../state/chat.ts';
import { focusSoon } from '../../state/focus.ts';

/** Shown before the first message: what can be done here, and suggested messages. */
export function Welcome() {
  return (
    <div class="welcome">
      <h2 class="welcome-title">Send a message to start</h2>
      <p class="welcome-text">
        Requests go through polygate to the gateway, and the page needs no API key. To see how the
        client recovers, turn on a fault in the control room first.
      </p>
      <ul class="suggestions">
        {Object.keys(suggestions).map((suggestion) => (
          <li key={suggestion}>
            <button
              type="button"
              class="suggestion"
              disabled={chatModel.value === undefined}
              onClick={() => {
                void sendMessage(suggestion);
                focusSoon('.thread-box');
              }}
            >
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
