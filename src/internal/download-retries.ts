/** When a download that has failed is repeated, which costs nothing. */
import { noMediaCode } from '../client/tasks/media-check.ts';
import { isRecord } from '../wire/types/type-guards.ts';

export { isTemporary } from '../client/http/temporary-status.ts';
export { headBytes } from '../client/tasks/media-check.ts';

/** Whether an error is about a file that is no media, such as a page about an outage. */
export const isNoMedia = (error: unknown): boolean => isRecord(error) && error.code === noMediaCode;

/** The delay before a retry, in ms: from half a second, which doubles with each retry, to eight seconds. */
export const downloadDelay = (retry: number): number => Math.min(500 * 2 ** retry, 8_000);
