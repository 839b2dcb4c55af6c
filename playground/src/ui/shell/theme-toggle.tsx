import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';

const next: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const icons: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };

/** Light, dark, or what the system prefers. */
export function ThemeToggle() {
  const now = theme.value;
  return (
    <button
      type="button"
      class="bare theme-toggle"
      title={`Colours: ${now}`}
      aria-label={`Colours: ${now}. Change to ${next[now]}`}
      onClick={() => {
        theme.value = next[now];
      }}
    >
      <Icon name={icons[now]} />
    </button>
  );
}
