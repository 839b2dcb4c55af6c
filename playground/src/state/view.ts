import { signal } from '@preact/signals';

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

const readHash = (): View => views.find((view) => `#${view}` === location.hash) ?? 'start';

/** The current view. It follows the URL fragment, so the back button works. */
export const currentView = signal<View>(readHash());

window.addEventListener('hashchange', () => {
  currentView.value = readHash();
});
