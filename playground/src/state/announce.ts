import { signal } from '@preact/signals';

/** What screen readers are told next. */
export const announcement = signal('');

/** Tells it without taking the focus away from anything. */
export function announce(text: string): void {
  announcement.value = text;
}
