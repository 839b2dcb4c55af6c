import type { ChatMessage } from 'polygate';

/** What the command line says about a chat. */
interface ChatPrompt {
  prompt: string;
  system?: string | undefined;
  /** URLs of images. */
  images?: readonly string[] | undefined;
}

/** Returns the messages of a chat. */
export function messagesOf({ prompt, system, images = [] }: ChatPrompt): ChatMessage[] {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  if (images.length === 0) return [...messages, { role: 'user', content: prompt }];
  const parts = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return [...messages, { role: 'user', content: [{ type: 'text', text: prompt }, ...parts] }];
}
