import { isDeno } from './environment.ts';

/**
 * The runtime's own `fetch`, whichever is there when it is called. Deno's sends a text again by itself when a
 * connection that it had kept open breaks, and the gateway may charge for both; a blob it sends once.
 */
export const runtimeFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(
    input,
    typeof init?.body === 'string' && isDeno() ? { ...init, body: new Blob([init.body]) } : init,
  );
