/** Checks of options, which all entry points share. */
export {
  booleanValue,
  checkOptions,
  functionValue,
  objectWithMethods,
  optionsProblem,
} from '../core/config/validation.ts';
export type { Rule } from '../core/config/validation.ts';
