import type * as z from 'zod/mini';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** The description of a parameter, optionally with further schema keywords. */
export type ParameterDocs =
  | string
  | { readonly description: string; readonly [keyword: string]: unknown };

/** A schema that the document lists under its own name. */
export interface SchemaDocs {
  schema: z.ZodMiniType;
  description: string;
  /** Keywords of fields by path, such as `balance.usd` or `data[].url`, as the comments of the interface have them. */
  keywords?: Readonly<Record<string, JsonObject & { readonly description?: never }>>;
  /** What this gateway adds to them. */
  fields?: SchemaDocs['keywords'];
  /** Paths of fields that have no other values here than the known ones. */
  closed?: readonly string[];
  example?: JsonObject;
}

/**
 * The description of a response, and the names of its possible schemas if they differ from the
 * endpoint's own.
 */
type ResponseDocs = readonly [description: string, ...schemas: string[]];

/** The part of an endpoint's documentation that the endpoint table does not contain. */
export interface OperationDocs {
  /** The operation id, from which generators derive function names. */
  id: string;
  description: string;
  /** Query parameters; of type string unless the keywords specify another type. */
  query?: Readonly<Record<string, ParameterDocs>>;
  /** Request headers that only this endpoint accepts. */
  headers?: Readonly<Record<string, ParameterDocs>>;
  /** Valid request bodies, by title. */
  examples?: Readonly<Record<string, JsonObject>>;
  /** Success responses, by status. */
  responses: Readonly<Record<number, ResponseDocs>>;
  /** Names of the schemas of one event of a streamed response. */
  eventSchemas?: readonly string[];
  /** Error codes by status, where they differ from the default ones. */
  errorCodes?: Readonly<Record<number, readonly string[]>>;
}

/** The documentation of one tag (a group of endpoints). */
export interface TagDocs {
  tag: { name: string; description: string };
  /** By route, such as `GET /v1/account`. */
  operations: Readonly<Record<string, OperationDocs>>;
  schemas: Readonly<Record<string, SchemaDocs>>;
}
