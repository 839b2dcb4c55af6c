import { accountPage } from './account.ts';
import { audioPage } from './audio.ts';
import { chatPage } from './chat.ts';
import { imagesPage } from './images.ts';
import { materialsPage } from './materials.ts';
import { modelsPage } from './models.ts';
import type { OperationNotes, Page } from '../docs.ts';
import { publicPage } from './public.ts';
import { videosPage } from './videos.ts';
import { voicesPage } from './voices.ts';

/** What the document says beyond the table of endpoints, a page a namespace. */
export const pages: readonly Page[] = [
  publicPage,
  accountPage,
  modelsPage,
  chatPage,
  imagesPage,
  videosPage,
  audioPage,
  voicesPage,
  materialsPage,
];

/** What there is to say of an endpoint, and the tag that it stands under. */
export function notesOf(route: string): { tag: string; notes: OperationNotes } | undefined {
  for (const { tag, operations } of pages) {
    const notes = operations[route];
    if (notes !== undefined) return { tag: tag.name, notes };
  }
  return undefined;
}
