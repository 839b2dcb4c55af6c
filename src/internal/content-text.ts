/** The text of a message. */
export { contentText } from '../core/chat/content-text.ts';
