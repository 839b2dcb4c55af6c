/** Rules for the addresses that results are downloaded from. */
export { isLoopbackHost } from '../core/config/base-url.ts';
export { checkResultURL } from '../core/http/result-file.ts';
