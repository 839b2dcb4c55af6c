/**
 * The part of Standard Schema (https://standardschema.dev) that polygate uses: any zod, valibot or arktype schema
 * fits.
 */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Looks at a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a Standard Schema answers: the value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<SchemaIssue> };

/** One thing that is wrong with a value, and where in it. */
export interface SchemaIssue {
  /** What is wrong, in the words of the schema library. */
  readonly message: string;
  /** The way from the root to the field. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}
