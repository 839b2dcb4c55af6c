import type { View } from '../../state/view.ts';

/** The name of each view, as the menu and the page title show it. */
export const viewLabels: Readonly<Record<View, string>> = {
  start: 'Start',
  chat: 'Chat',
  images: 'Images',
  video: 'Video',
  audio: 'Audio',
  voices: 'Voices',
  materials: 'Materials',
  wallet: 'Balance',
  lab: 'Control room',
};
