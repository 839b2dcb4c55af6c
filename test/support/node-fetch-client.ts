/**
 * Takes the place of `src/client.ts` in the test project "over nodeFetch": each client without a `fetch` of its own sends
 * through `nodeFetch`, and must pass the same tests.
 */
import { Polygate as Client } from '../../src/client.ts';
import type { PolygateOptions } from '../../src/index.ts';
import { nodeFetch } from '../../src/integrations/node/fetch/node-fetch.ts';

const fetch = nodeFetch();

export class Polygate extends Client {
  constructor(options: PolygateOptions = {}) {
    super(Object.getPrototypeOf(options) === Object.prototype ? { fetch, ...options } : options);
  }
}
