import { ConfigurationError } from '../errors/base.ts';
import { unknownNameProblem } from '../wire/types/nearest-name.ts';

/** The names of all options of a type. The compiler reports a missing one. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options>, true>>;

/** Throws a `ConfigurationError` that names the first unknown field of an object, and the known name closest to it. */
export function checkNames(options: object = {}, names: object, prefix = ''): void {
  const problem = unknownNameProblem(options, Object.keys(names), prefix);
  if (problem !== undefined) throw new ConfigurationError(problem);
}
