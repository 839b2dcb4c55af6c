/**
 * The part of Standard Schema (https://standardschema.dev) that polygate uses: any zod, valibot or arktype schema
 * fits.
 */
export interface StandardSchema<Output, Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Looks at a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
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

/**
 * A Standard Schema that also tells its JSON schema (https://standardschema.dev/json-schema): zod from 4.2 and arktype
 * do by themselves, valibot with `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export interface StandardJsonSchema<Output, Input = unknown> {
  readonly '~standard': StandardSchema<Output, Input>['~standard'] & {
    readonly jsonSchema: {
      /** The JSON schema of what `validate` takes. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}
