import { nodeFetch } from '../../../dist/node.js';
import { createClient } from './polygate.ts';

/** polygate on undici's own HTTP client, with HTTP/2 where the server supports it. */
export const client = createClient({ fetch: nodeFetch({ http2: true }) });
