import { effect, signal } from '@preact/signals';

/** How the page looks; `auto` is what the system prefers. */
export type Theme = 'auto' | 'light' | 'dark';

const place = 'polygate-playground-theme';
const kept = localStorage.getItem(place);

/** The chosen look. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');

/** Applies the choice, and remembers it. */
export function watchTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem(place, theme.value);
  });
}
