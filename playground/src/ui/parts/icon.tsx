const shapes = {
  chat: 'M4 5.5h16v10H11l-4.5 3.5v-3.5H4z',
  images: 'M4 5h16v14H4zM4 16l4.5-4.5L12 15l3-3 5 4.5M9 9.2v.1',
  video: 'M4 6h11v12H4zM15 10.5 20 7.5v9L15 13.5z',
  audio: 'M5 10v4M9 6.5v11M13 9v6M17 5v14M21 10.5v3',
  voices:
    'M12 3.5a2.8 2.8 0 0 1 2.8 2.8v4.4a2.8 2.8 0 0 1-5.6 0V6.3A2.8 2.8 0 0 1 12 3.5zM6.5 11a5.5 5.5 0 0 0 11 0M12 16.5v4',
  materials: 'M12 3.5 20 8v8l-8 4.5L4 16V8zM4.2 8.1 12 12.5l7.8-4.4M12 12.5v8',
  wallet: 'M4 7h15v12H4zM4 7l11-3v3M15.5 13h.1',
  lab: 'M5 19V9M5 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 19v-4M12 15a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 11V5M19 19v-8M19 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM19 7V5',
  download: 'M12 4.5v11M7.5 11.5 12 16l4.5-4.5M5 19.5h14',
  previous: 'M14.5 5.5 8 12l6.5 6.5',
  next: 'M9.5 5.5 16 12l-6.5 6.5',
  warning: 'M12 4 21 19.5H3zM12 10v4.5M12 17v.1',
  expand: 'M6.5 9.5 12 15l5.5-5.5',
  more: 'M5.5 12h.1M12 12h.1M18.5 12h.1',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8.5 6v12M15.5 6v12',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  auto: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  copy: 'M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  retry: 'M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.5 4v4h-4',
  edit: 'M5 19h3.5L19 8.5 15.5 5 5 15.5zM13.5 7l3.5 3.5',
  plus: 'M12 5v14M5 12h14',
  down: 'M12 5v14M6 13l6 6 6-6',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM9 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4',
  start: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof shapes;

/** A line icon. It is hidden from screen readers, which read the adjacent text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
