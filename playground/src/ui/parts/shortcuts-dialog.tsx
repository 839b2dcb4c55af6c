import { signal } from '@preact/signals';

import { hasKeyShortcuts } from '../../state/key-shortcuts.ts';
import { Dialog } from './dialog.tsx';
import { useHotkeys } from './hotkeys.ts';
import { shortcuts } from './shortcuts.ts';

const isOpen = signal(false);

/** Opens the list of shortcuts. */
export function ShortcutsButton() {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        isOpen.value = true;
      }}
    >
      All shortcuts
    </button>
  );
}

/** The list of shortcuts, which `?` opens, and the shortcut that moves the focus to the main input of a view. */
export function Shortcuts() {
  useHotkeys({
    '?': () => {
      isOpen.value = true;
    },
    '/': (event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-main-input]')?.focus();
    },
  });
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="shortcuts">
        {shortcuts.map(({ keys, action }) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={hasKeyShortcuts.value}
          onChange={({ currentTarget }) => {
            hasKeyShortcuts.value = currentTarget.checked;
          }}
        />
        Shortcuts of a single key
      </label>
    </Dialog>
  );
}
