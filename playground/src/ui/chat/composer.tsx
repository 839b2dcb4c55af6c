import { useState } from 'preact/hooks';

import { sendMessage, stop } from '../../state/chat.ts';
import { activeResponse } from '../../state/turns.ts';
import { Icon } from '../parts/icon.tsx';

/** The message input. Enter sends, Shift+Enter inserts a line break, Escape stops the response. */
export function Composer({ model }: { model: string | undefined }) {
  const [text, setText] = useState('');
  const isBusy = activeResponse.value !== undefined;
  const send = () => {
    if (text.trim() === '' || isBusy || model === undefined) return;
    setText('');
    void sendMessage(text.trim(), model);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="visually-hidden" for="message">
        Message
      </label>
      <textarea
        id="message"
        rows={1}
        placeholder="Write a message"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') stop();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isBusy ? (
        <button type="button" class="round round-stop" aria-label="Stop generating" onClick={stop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button
          type="submit"
          class="round"
          aria-label="Send"
          disabled={text.trim() === '' || model === undefined}
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}
