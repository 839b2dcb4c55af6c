/** The names of call options, which must not be sent as fields of a body. */
export { optionAmong } from '../client/call/request-options.ts';
