import { useEffect } from 'preact/hooks';

import { hasKeyShortcuts } from '../../state/key-shortcuts.ts';

/** Handles keys pressed anywhere on the page, unless a dialog is open. */
export function useHotkeys(handlers: Readonly<Record<string, (event: KeyboardEvent) => void>>) {
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      // Characters belong to the text that is being written, and assistive technology may type some; Escape does not.
      const isCharacter = event.key.length === 1;
      if (isCharacter && (!hasKeyShortcuts.value || isTextInput(event.target))) return;
      handlers[event.key]?.(event);
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  });
}

function isTextInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('textarea, select, input:not([type=checkbox], [type=radio])');
}
