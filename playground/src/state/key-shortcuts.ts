import { effect, signal } from '@preact/signals';

const storageKey = 'polygate-playground-key-shortcuts';

/** Whether single keys such as `1` and `/` are shortcuts. */
export const hasKeyShortcuts = signal(localStorage.getItem(storageKey) !== 'off');

effect(() => {
  localStorage.setItem(storageKey, hasKeyShortcuts.value ? 'on' : 'off');
});
