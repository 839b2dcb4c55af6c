/**
 * The part of Standard Schema (https://standardschema.dev) that polygate uses. Schemas from zod, valibot and arktype
 * implement it.
 */
export interface StandardSchema<Output, Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a validation: the output value, or the issues found. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<SchemaIssue> };

/** One validation issue and its location. */
export interface SchemaIssue {
  /** Description of the issue. */
  readonly message: string;
  /** Path from the root to the field. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/**
 * A Standard Schema that also provides a JSON schema (https://standardschema.dev/json-schema). zod 4.2 or later and
 * arktype 2.1.28 or later support this directly; for valibot, use `toStandardJsonSchema` from `@valibot/to-json-schema`.
 */
export interface StandardJsonSchema<Output, Input = unknown> {
  readonly '~standard': StandardSchema<Output, Input>['~standard'] & {
    readonly jsonSchema: {
      /** Returns the JSON schema of the input of `validate`. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** Whether a value is a Standard Schema. It may be an object or a function. */
export function isSchema(value: unknown): value is StandardJsonSchema<unknown> {
  return value instanceof Object && '~standard' in value;
}
