/** The version of this package. A test compares it with package.json, which browsers and bundlers cannot read. */
export const version = '0.3.0';
