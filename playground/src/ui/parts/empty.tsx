import type { ComponentChildren } from 'preact';

/** Placeholder for an empty list: what appears there, and how to add it. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="empty-mark" viewBox="0 0 64 64" aria-hidden="true">
        <path d="M32 6 54.5 19v26L32 58 9.5 45V19Z" />
        <path d="M32 20 42.4 26v12L32 44l-10.4-6V26Z" />
      </svg>
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}
