/** Checks of options and arguments, with the messages of the client. */
export { signalRule } from '../core/call/request/request-options.ts';
export {
  booleanValue,
  checkOptions,
  checkValue,
  nonNegativeNumber,
  objectWithMethods,
  oneOf,
  positiveInteger,
  stringValue,
} from '../core/config/validation.ts';
export type { Rules } from '../core/config/validation.ts';
