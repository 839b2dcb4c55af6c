/**
 * Takes the place of `src/client.ts` in the test project "hooks": each client has idle hooks and therefore sends through
 * ky, and must pass the same tests.
 */
import { Polygate as Client } from '../../src/client.ts';
import type { PolygateOptions } from '../../src/index.ts';

const idle = () => undefined;

export class Polygate extends Client {
  constructor(options: PolygateOptions = {}) {
    const hooks = { beforeRequest: [idle], afterResponse: [idle, idle] };
    super(Object.getPrototypeOf(options) === Object.prototype ? { hooks, ...options } : options);
  }
}
