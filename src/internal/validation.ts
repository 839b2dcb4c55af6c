/** Checks of options and arguments, which all entry points share, with the messages of the client. */
export {
  booleanValue,
  checkOptions,
  checkValue,
  functionValue,
  nonNegativeInteger,
  nonNegativeNumber,
  objectWithMethods,
  oneOf,
  optionsProblem,
  positiveInteger,
  signalRule,
  stringValue,
} from '../client/config/validation.ts';
export type { Rule, Rules } from '../client/config/validation.ts';
