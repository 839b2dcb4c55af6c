import { useState } from 'preact/hooks';

import { answering, ask, stop } from '../../state/chat.ts';
import { Icon } from '../parts/icon.tsx';

/** Where one writes. Enter sends, Shift and Enter begin a line, Escape stops the answer. */
export function Composer({ model }: { model: string | undefined }) {
  const [text, setText] = useState('');
  const busy = answering.value !== undefined;
  const send = () => {
    if (text.trim() === '' || busy || model === undefined) return;
    setText('');
    void ask(text.trim(), model);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="unseen" for="message">
        Message
      </label>
      <textarea
        id="message"
        rows={1}
        placeholder="Say something"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') stop();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {busy ? (
        <button type="button" class="round round-stop" aria-label="Stop the answer" onClick={stop}>
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
