import type { Material } from 'polygate';
import { useEffect, useState } from 'preact/hooks';

/** What is left of a material's two hours, to the second. */
export function Life({ material }: { material: Material }) {
  const { available_at: from, expires_at: to } = material;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  if (from === null || to === null) return null;
  const left = Math.max(0, Date.parse(to) - now);
  const share = left / (Date.parse(to) - Date.parse(from));
  return (
    <p class="life">
      <span class="life-bar" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <span>{left === 0 ? 'expired' : `${lasts(left)} left`}</span>
    </p>
  );
}

function lasts(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
