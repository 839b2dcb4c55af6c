/**
 * The runtime's own `fetch`. Deno's sends bytes again by itself when a connection that it had kept open breaks, and the
 * gateway may charge for both; a blob it sends once.
 */
export const runtimeFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(
    input,
    init?.body instanceof Uint8Array && Reflect.has(globalThis, 'Deno')
      ? { ...init, body: new Blob([Uint8Array.from(init.body)]) }
      : init,
  );
