/** Rules for the addresses that results are downloaded from, and what sends the requests. */
import type { Polygate } from '../client.ts';
import type { Clock } from '../client/config/clock.ts';

export { checkResultURL } from '../client/http/result-file.ts';

/** The `fetch` of a client, with which it downloads. */
export const fetchOf = ({ ownFetch }: Polygate): typeof globalThis.fetch => ownFetch;

/** The clock of a client, on which delays between downloads pass. */
export const clockOf = ({ clock }: Polygate): Clock => clock;
