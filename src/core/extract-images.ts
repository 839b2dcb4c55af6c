import type { ChatCompletion } from '../schemas/chat-completion.ts';

const dataURL = /data:image\/[\w.+-]+;base64,[\w+/=-]+/gi;

/** The images that a chat answer carries: those of its messages, and data URLs in their text. Assumption A8. */
export function extractImages({ choices }: Pick<ChatCompletion, 'choices'>): { url: string }[] {
  const urls = choices.flatMap(({ message: { images, content } }) => [
    ...(images ?? []).map((image) => image.image_url.url),
    ...(content?.match(dataURL) ?? []),
  ]);
  return [...new Set(urls)].map((url) => ({ url }));
}
