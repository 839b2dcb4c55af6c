import type * as z from 'zod/mini';

/** Any JSON object. */
export type Json = Record<string, unknown>;

/** What the document says of a field: a sentence, or a sentence and more of its schema. */
export type FieldDocs =
  | string
  | { readonly description: string; readonly [keyword: string]: unknown };

/** A record or body that has a name of its own in the document. */
export interface SchemaDocs {
  schema: z.ZodMiniType;
  description: string;
  /** By path, such as `balance.usd` or `data[].url`. */
  fields: Readonly<Record<string, FieldDocs>>;
  example?: Json;
}

/**
 * An answer: what it means, and the names of the schemas of which it fits one, where the table of
 * endpoints does not say it all.
 */
type ResponseDocs = readonly [description: string, ...schemas: string[]];

/** What the document says of an endpoint beyond the table of endpoints. */
export interface OperationDocs {
  /** The name of the function in a generated client. */
  id: string;
  description: string;
  /** Query parameters; texts, unless a note says otherwise. */
  query?: Readonly<Record<string, FieldDocs>>;
  /** Request headers that no other endpoint has. */
  headers?: Readonly<Record<string, FieldDocs>>;
  /** Bodies that work, by what they ask for. */
  examples?: Readonly<Record<string, Json>>;
  /** By status. */
  responses: Readonly<Record<number, ResponseDocs>>;
  /** What one event of a streamed answer fits. */
  eventSchemas?: readonly string[];
  /** Error codes by status, where they differ from the usual ones. */
  errorCodes?: Readonly<Record<number, readonly string[]>>;
  /** Whether a key may come in another way than as a bearer key. */
  nativeKeys?: boolean;
}

/** One namespace of the service in the document. */
export interface TagDocs {
  tag: { name: string; description: string };
  /** By route, such as `GET /v1/account`. */
  operations: Readonly<Record<string, OperationDocs>>;
  schemas: Readonly<Record<string, SchemaDocs>>;
}
