/** When a download that has failed is repeated, which costs nothing. */
export { isTemporary } from '../core/http/temporary-status.ts';

/** The delay before a retry, in ms: from half a second, which doubles with each retry, to eight seconds. */
export const downloadDelay = (retry: number): number => Math.min(500 * 2 ** retry, 8_000);
