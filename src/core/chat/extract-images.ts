import type { ChatCompletion } from '../../schemas/chat-completion.ts';

const dataURL = /data:image\/[\w.+-]+;base64,[\w+/=-]+/gi;

/** The images that a chat answer carries: those of its messages, and data URLs in their text. Assumption A8. */
export function extractImages({ choices }: Pick<ChatCompletion, 'choices'>): { url: string }[] {
  const urls = choices.flatMap(({ message }) => [
    ...(message?.images ?? []).map((image) => image.image_url?.url),
    ...(JSON.stringify(message?.content ?? '').match(dataURL) ?? []),
  ]);
  return [...new Set(urls)].flatMap((url) => (url ? [{ url }] : []));
}
