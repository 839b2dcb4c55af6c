/** Rules for the addresses that results are downloaded from, and what sends the requests. */
import type { Polygate } from '../client.ts';
import type { Clock } from '../core/config/clock.ts';

export { isLoopbackHost } from '../core/config/base-url.ts';
export { checkResultURL } from '../core/http/result-file.ts';

/** The `fetch` of a client, with which it downloads. */
export const fetchOf = ({ ownFetch }: Polygate): typeof globalThis.fetch => ownFetch;

/** The clock of a client, on which delays between downloads pass. */
export const clockOf = ({ clock }: Polygate): Clock => clock;
