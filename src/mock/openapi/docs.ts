import type * as z from 'zod/mini';

import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { resultLists } from '../tasks/record.ts';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** The description of a parameter, optionally with further schema keywords. */
export type ParameterDocs =
  | string
  | { readonly description: string; readonly [keyword: string]: unknown };

/** A schema that the document lists under its own name. */
interface SchemaDocs {
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

/** Documents the record of a task, with the example of a completed one. Specification: Audio task; assumption A3. */
export function taskDocs(
  kind: TaskKind,
  extension: string,
): Pick<SchemaDocs, 'fields' | 'closed' | 'example'> {
  const url = `https://files.example/1.${extension}`;
  const example = {
    id: 'task_1',
    task_id: 'task_1',
    object: `${kind}.generation.job`,
    status: 'completed',
    raw_status: 'SUCCESS',
    progress: '100%',
    error: null,
    [`${kind}_url`]: url,
    result: { [`${kind}_url`]: url, outputs: [url], [resultLists[kind]]: [{ url }] },
  };
  return { example, fields: { object: { enum: [example.object] } }, closed: ['status'] };
}

/** Documents an endpoint that polls a task. */
export function pollOperation(kind: TaskKind, id: string): OperationDocs {
  const article = kind === 'video' ? 'a' : 'an';
  return {
    id,
    description: `Returns ${article} ${kind} task. Poll it every 2 to 5 seconds until its status is terminal. Tasks of other users return 404.`,
    responses: { 200: ['The current state of the task.'] },
    errorCodes: { 404: ['task_not_found'] },
  };
}

/** Description text shared by all endpoints that submit a task. */
export const submitDescription =
  'The response returns the task id immediately, and its headers report the charge. A request with the same `x-idempotency-key` returns the existing task without charging again.';

/** The success response shared by all endpoints that submit a task. */
export const submitResponses: OperationDocs['responses'] = {
  202: ['The task was accepted, or an existing task is returned.'],
};

/** The error codes with status 400 shared by all endpoints that submit a task. */
export const submitErrorCodes = [
  'invalid_request_parameter',
  'model_not_found',
  'invalid_idempotency_key',
];
