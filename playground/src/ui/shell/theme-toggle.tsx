import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';

const next: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const icons: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };

/** Switches between the system's theme, light and dark. */
export function ThemeToggle() {
  const current = theme.value;
  return (
    <button
      type="button"
      class="plain theme-toggle"
      title={`Theme: ${current}`}
      aria-label={`Theme: ${current}. Change to ${next[current]}`}
      onClick={() => {
        theme.value = next[current];
      }}
    >
      <Icon name={icons[current]} />
    </button>
  );
}
