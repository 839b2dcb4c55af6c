/** What the help of an option says besides its text. */
interface Details {
  readonly short?: string;
  /** The value without the option. */
  readonly default?: string;
  /** What applies without the option, where that is no fixed value. */
  readonly otherwise?: string;
  /** The environment variable that is used without the option. */
  readonly env?: string;
  /** The field of the request that it sets. */
  readonly field?: string;
  /** Whether that field is a number. */
  readonly isNumber?: boolean;
  /** Its heading in the help, if that is not "Options". */
  readonly group?: string;
}

/** An option, as `parseArgs` and the help read it. */
export interface Option extends Details {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** What its value is, in the help: `<url>`. */
  readonly value?: string;
  readonly help: string;
}

/** An option with a value. */
export function text<const More extends Details>(value: string, help: string, more: More) {
  return { type: 'string' as const, value, help, ...more };
}

/** An option with a value that can be repeated. */
export function list<const More extends Details>(value: string, help: string, more: More) {
  return { type: 'string' as const, multiple: true as const, value, help, ...more };
}

/** An option without a value. */
export const flag = (help: string) => ({ type: 'boolean', help }) as const;
