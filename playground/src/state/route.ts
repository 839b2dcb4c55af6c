import { signal } from '@preact/signals';

/** The places of the playground, in the order of its menu. */
export const places = [
  'chat',
  'images',
  'video',
  'audio',
  'voices',
  'materials',
  'wallet',
  'lab',
] as const;

/** A place of the playground. */
export type Place = (typeof places)[number];

const read = (): Place => places.find((place) => `#${place}` === location.hash) ?? 'chat';

/** Where the page is: the address says so, and the back button works. */
export const here = signal<Place>(read());

window.addEventListener('hashchange', () => {
  here.value = read();
});
