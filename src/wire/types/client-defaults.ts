/** The options of a client that neither it nor the environment sets, as a property of its `fetch`. */
export const clientDefaults = Symbol.for('polygate.client-defaults');

/** What a `fetch` can provide. */
export interface ClientDefaults {
  readonly apiKey?: null;
  readonly baseURL?: string;
}

/** The property of a client that has what integrations need: see `contextOf` of `internal.ts`. */
export const clientContext = Symbol.for('polygate.client-context');
