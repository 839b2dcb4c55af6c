/**
 * Replaces `src/client.ts` in the tests of the project "hooks": every client has idle hooks, and so sends through ky.
 * The tests themselves are the same as without hooks.
 */
import { Polygate as Client } from '../../src/client.ts?real';
