/**
 * What follows from an error code, besides what follows from its status:
 *
 * - `permanent`: no retry can succeed, whatever the status.
 * - `uncertain`: the request may have been carried out and charged, whatever the status.
 * - `void`: neither this request nor an earlier one with the same key and body was charged, because the service rejects it
 *   for what it contains. Not for codes that can be about a model, a voice or a material: these can disappear after they
 *   were paid for.
 * - `conflict`: its idempotency key belongs to another request.
 * - `model`, `task`, `api-key`, `user`: it is about the model, the task, the API key, or a limit of the proxy for one user.
 */
export type CodeTrait =
  | 'permanent'
  | 'uncertain'
  | 'void'
  | 'conflict'
  | 'model'
  | 'task'
  | 'api-key'
  | 'user';

/**
 * The error codes of the specification, and those that the client assumes, with their usual status and
 * their traits. `npm run docs:generate` makes the list in `docs/errors.md` of it. Specification: Codes; assumption A9.
 */
export const errorCodes = {
  /** No API key was supplied. */
  api_key_required: [401, 'permanent', 'api-key'],
  /** The API key is unknown. */
  invalid_api_key: [401, 'permanent', 'api-key'],
  /** The API key is disabled. */
  api_key_disabled: [403, 'permanent', 'api-key'],
  /** A required field is missing, or the voice is not visible to the caller or not compatible with the model. */
  invalid_request_parameter: [400, 'permanent'],
  /** The balance is insufficient for the request. */
  insufficient_balance: [402, 'permanent'],
  /** The model does not exist. */
  model_not_found: [404, 'permanent', 'model'],
  /** The task does not exist or belongs to another user. */
  task_not_found: [404, 'permanent', 'task'],
  /** The concurrency limit was reached. */
  concurrency_limit_exceeded: [429],
  /** Internal error of the service. */
  internal_error: [500],
  /** The service is temporarily unavailable. */
  service_unavailable: [503],
  /** The idempotency key is missing or invalid. */
  invalid_idempotency_key: [400, 'permanent', 'void'],
  /** The idempotency key was already used for a different request. */
  idempotency_conflict: [409, 'permanent', 'conflict'],
  /** The url, type or name of the material, or a query parameter, is invalid. */
  invalid_material_request: [400, 'permanent'],
  /** `after` was not issued by the material list endpoint. */
  invalid_material_cursor: [400, 'permanent'],
  /** The material service is temporarily unavailable, or the model does not support material input. */
  material_channel_unavailable: [503],
  /** The idempotency key was already used for a different request. */
  material_idempotency_conflict: [409, 'permanent', 'conflict'],
  /** The material does not exist, belongs to another user, or has expired. */
  material_not_found: [404, 'permanent'],
  /** The material is not available yet, has expired, or was deleted. */
  material_not_available: [400, 'permanent'],
  /** The `asset://` URI is not in the caller's library. */
  material_not_managed: [400, 'permanent'],
  /** It is uncertain whether the material was created; the service reconciles this in the background. */
  material_create_outcome_uncertain: [503, 'uncertain'],
  /** The consent of the real person was not confirmed. */
  visual_verification_consent_required: [400, 'permanent'],
  /** The media type or callback URL of a real-person material is invalid. */
  invalid_visual_verification_request: [400, 'permanent'],
  /** It is uncertain whether the verification session was created; the service does not create a second one itself. */
  visual_verification_create_outcome_uncertain: [503, 'uncertain'],
  /** The proxy: a browser has repeated a request by itself, and the response to the first one was lost. */
  attempt_repeated: [409, 'uncertain'],
  /** The proxy: a limit of the user is reached. 402 for an amount of money, 429 for the number of requests. */
  user_limit_exceeded: [429, 'user'],
} as const satisfies Readonly<Record<string, readonly [status: number, ...CodeTrait[]]>>;

/** Traits of codes that are not in {@link errorCodes}, by their names. */
const traitsByName: Partial<Record<CodeTrait, RegExp>> = {
  permanent: /^(invalid|api_key|insufficient)_|_(not_found|not_available|conflict)$/,
  uncertain: /_outcome_uncertain$/,
  conflict: /(^|_)conflict$/,
  task: /^task/,
};

const listed = /* @__PURE__ */ new Map<string, readonly unknown[]>(Object.entries(errorCodes));

/** Whether an error code has a trait. */
export function codeIs(code: string | undefined, trait: CodeTrait): boolean {
  const name = code ?? '';
  return listed.get(name)?.includes(trait) ?? traitsByName[trait]?.test(name) ?? false;
}
