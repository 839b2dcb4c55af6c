import { effect, signal } from '@preact/signals';

/** The color theme; `auto` follows the system's preference. */
export type Theme = 'auto' | 'light' | 'dark';

// The key of VitePress, so that the documentation has the same theme.
const storageKey = 'vitepress-theme-appearance';
const stored = localStorage.getItem(storageKey);

/** The chosen theme. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'auto');

/** Applies the theme and stores it. */
export function watchTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem(storageKey, theme.value);
  });
}
