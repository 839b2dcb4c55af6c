/** The names of call options, which must not be sent as fields of a body. */
export { optionAmong } from '../core/call/request/request-options.ts';
