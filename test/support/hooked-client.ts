/**
 * Takes the place of `src/client.ts` in the test project "hooks": each client has idle hooks and therefore sends through
 * ky, and must pass the same tests.
 */
import { Polygate as Client } from '../../src/client.ts';
import type { PolygateOptions } from '../../src/index.ts';

const idle = () => undefined;

/** The clients created so far without a `fetch` of their own. In the project "over nodeFetch", they send through it. */
export const created = { withoutFetch: 0 };

// What src/all.ts imports of that file besides.
export { priceLists } from '../../src/client.ts';

export class Polygate extends Client {
  constructor(options: PolygateOptions = {}) {
    const hooks = { beforeRequest: [idle], afterResponse: [idle, idle] };
    const isPlain = Object.getPrototypeOf(options) === Object.prototype;
    super(isPlain ? { hooks, ...options } : options);
    if (isPlain && !('fetch' in options)) created.withoutFetch += 1;
  }
}
