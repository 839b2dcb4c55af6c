import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  /** Called after the dialog was closed: by its button, by Escape or by a click outside. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog, which is open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the browser paints, so that no key is pressed while the dialog is there but not open.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={({ target }) => {
        // The dialog itself is the target only of clicks on its backdrop.
        if (target === dialog.current) close();
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
