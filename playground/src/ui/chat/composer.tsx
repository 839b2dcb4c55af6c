import { useLayoutEffect, useRef } from 'preact/hooks';

import { chatModel } from '../../state/chat-settings.ts';
import { cancelEditing, draft, editedTurn, sendDraft, stop } from '../../state/chat.ts';
import { activeResponse } from '../../state/turns.ts';
import { Icon } from '../parts/icon.tsx';
import { ShortcutsButton } from '../parts/shortcuts-dialog.tsx';

/** The message input. Enter sends, Shift+Enter inserts a line break. */
export function Composer() {
  const input = useRef<HTMLTextAreaElement>(null);
  const isBusy = activeResponse.value !== undefined;
  const isEditing = editedTurn.value !== undefined;
  // Before the browser paints, so that the next key already reaches the input.
  useLayoutEffect(() => {
    if (isEditing) input.current?.focus();
  }, [isEditing]);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        sendDraft();
      }}
    >
      {isEditing && (
        <p class="composer-note">
          Editing your last message. Sending it replaces the response.
          <button type="button" class="link" onClick={cancelEditing}>
            Cancel
          </button>
        </p>
      )}
      <div class="composer-box">
        <label class="visually-hidden" for="message">
          Message
        </label>
        <textarea
          ref={input}
          id="message"
          rows={1}
          placeholder="Write a message"
          data-main-input
          value={draft.value}
          onInput={({ currentTarget }) => {
            draft.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            sendDraft();
          }}
        />
        {isBusy ? (
          <button
            type="button"
            class="round round-stop"
            aria-label="Stop generating"
            onClick={stop}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="submit"
            class="round"
            aria-label="Send"
            disabled={draft.value.trim() === '' || chatModel.value === undefined}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
      <p class="composer-hint">
        <span>
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> starts a new line.
        </span>
        <ShortcutsButton />
      </p>
    </form>
  );
}
