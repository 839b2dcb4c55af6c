/**
 * Takes the place of `src/client.ts` in the test project "over nodeFetch": each client without a `fetch` of its own sends
 * through `nodeFetch`, and must pass the same tests.
 */
import { Polygate as Client } from '../../src/client.ts';
import type { PolygateOptions } from '../../src/index.ts';
import { nodeFetch } from '../../src/integrations/node/fetch/node-fetch.ts';

/** Created by the first client: a test may load `nodeFetch` first, which itself imports the package with this file. */
let shared: typeof fetch | undefined;

// What src/all.ts imports of that file besides.
export { priceLists } from '../../src/client.ts';

export class Polygate extends Client {
  constructor(options: PolygateOptions = {}) {
    shared ??= nodeFetch();
    super(
      Object.getPrototypeOf(options) === Object.prototype ? { fetch: shared, ...options } : options,
    );
  }
}
