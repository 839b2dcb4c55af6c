/** The text of a message. */
export { contentText } from '../client/chat/content-text.ts';
