import { accountDocs } from './account.ts';
import { audioDocs } from './audio.ts';
import { chatDocs } from './chat.ts';
import { imagesDocs } from './images.ts';
import { materialsDocs } from './materials.ts';
import { modelsDocs } from './models.ts';
import type { OperationDocs, TagDocs } from '../docs.ts';
import { publicDocs } from './public.ts';
import { videosDocs } from './videos.ts';
import { voicesDocs } from './voices.ts';

/** What the document says beyond the table of endpoints, a page a namespace. */
export const tags: readonly TagDocs[] = [
  publicDocs,
  accountDocs,
  modelsDocs,
  chatDocs,
  imagesDocs,
  videosDocs,
  audioDocs,
  voicesDocs,
  materialsDocs,
];

/** What there is to say of an endpoint, and the tag that it stands under. */
export function docsOf(route: string): { tag: string; notes: OperationDocs } | undefined {
  for (const { tag, operations } of tags) {
    const notes = operations[route];
    if (notes !== undefined) return { tag: tag.name, notes };
  }
  return undefined;
}
