import type { OperationDocs, TagDocs } from '../docs.ts';
import { accountDocs } from './account.ts';
import { audioDocs } from './audio.ts';
import { chatDocs } from './chat.ts';
import { imagesDocs } from './images.ts';
import { materialsDocs } from './materials.ts';
import { modelsDocs } from './models.ts';
import { publicDocs } from './public.ts';
import { videosDocs } from './videos.ts';
import { voicesDocs } from './voices.ts';

/** The documentation of all tags, in the order of the document. */
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

/** Finds the documentation of an endpoint and the name of its tag. */
export function docsOf(route: string): { tag: string; docs: OperationDocs } | undefined {
  for (const { tag, operations } of tags) {
    const docs = operations[route];
    if (docs !== undefined) return { tag: tag.name, docs };
  }
  return undefined;
}
