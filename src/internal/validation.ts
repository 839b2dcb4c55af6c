/** Checks of options, which all entry points share. */
export {
  booleanValue,
  checkOptions,
  functionValue,
  nonNegativeInteger,
  nonNegativeNumber,
  objectWithMethods,
  oneOf,
  optionsProblem,
  positiveInteger,
  stringValue,
} from '../core/config/validation.ts';
export type { Rule } from '../core/config/validation.ts';
