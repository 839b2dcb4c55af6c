import { nodeFetch } from '../../../dist/node.js';
import { createClient } from './polygate.ts';

/** polygate on undici's own HTTP client. */
export const client = createClient({ fetch: nodeFetch() });
