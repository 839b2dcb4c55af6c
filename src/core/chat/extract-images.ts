import type { ChatCompletion } from '../../schemas/chat-completion.ts';

const dataURL = /data:image\/[\w.+-]+;base64,[\w+/=-]+/gi;

/**
 * Returns the images in a chat completion: the `images` of its messages and data URLs in their content. Assumption A8.
 */
export function extractImages({ choices }: Pick<ChatCompletion, 'choices'>): { url: string }[] {
  const urls = choices.flatMap(({ message }) => [
    ...(message?.images ?? []).map((image) => image.image_url?.url),
    ...(JSON.stringify(message?.content ?? '').match(dataURL) ?? []),
  ]);
  return [...new Set(urls)].flatMap((url) => (url ? [{ url }] : []));
}
