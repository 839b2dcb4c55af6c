import { computed, signal } from '@preact/signals';

/** The views of the playground, in menu order. */
export const views = [
  'start',
  'chat',
  'images',
  'video',
  'audio',
  'voices',
  'materials',
  'wallet',
  'lab',
] as const;

/** The name of a view, which is also its URL fragment. */
export type View = (typeof views)[number];

/** The URL fragment: the name of a view, or of a scene of the first view. */
export const fragment = signal(location.hash.slice(1));

/** The current view. It follows the URL fragment, so the back button works. */
export const currentView = computed<View>(
  () => views.find((view) => view === fragment.value) ?? 'start',
);

window.addEventListener('hashchange', () => {
  fragment.value = location.hash.slice(1);
});
