import { signal } from '@preact/signals';

/** The text of the live region, which screen readers read aloud when it changes. */
export const announcement = signal('');

/** Announces text to screen readers without moving the focus. */
export function announce(text: string): void {
  announcement.value = text;
}
