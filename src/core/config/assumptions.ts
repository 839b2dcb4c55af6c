/** A gap in the specification, and what polygate assumes about it. */
export interface Assumption {
  /** Identifier that the documentation uses, such as `A1`. */
  readonly id: string;
  /** What the specification leaves open. */
  readonly gap: string;
  /** What the client assumes. */
  readonly assume: string;
  /** The client option that overrides the assumption, or null if there is none. */
  readonly override: string | null;
}

/** Every gap in the specification with the client's assumption, in order from A1. */
export const assumptions: readonly Assumption[] = [
  {
    id: 'A1',
    gap: 'Path for polling a video task',
    assume: 'GET /v1/videos/{id}, unless the submit response names another path.',
    override: 'paths.videoTask',
  },
  {
    id: 'A2',
    gap: 'Path for polling a task from POST /v1/images/generations',
    assume: 'GET /v1/images/tasks/{id}, unless the submit response names another path.',
    override: 'paths.imageTask',
  },
  {
    id: 'A3',
    gap: 'Shape of image and video task records',
    assume: 'Same shape as audio task records.',
    override: null,
  },
  {
    id: 'A4',
    gap: 'Set of task status values',
    assume: 'Case-insensitive; an unknown status means that the task is running.',
    override: null,
  },
  {
    id: 'A5',
    gap: 'Fields that hold result URLs',
    assume: 'Any common field, such as video_url, result.images or data[].url.',
    override: null,
  },
  {
    id: 'A6',
    gap: 'Task records wrapped in another object',
    assume: 'A record without a status at the top level is in "data" or "task".',
    override: null,
  },
  {
    id: 'A7',
    gap: 'Submit responses that already contain the result',
    assume: 'The task has succeeded.',
    override: null,
  },
  {
    id: 'A8',
    gap: 'Shape of chat completions and chunks',
    assume: 'OpenAI format; unknown fields are kept.',
    override: null,
  },
  {
    id: 'A9',
    gap: 'Error bodies that the specification does not show',
    assume: 'Any common error format; the HTTP status determines the error class.',
    override: null,
  },
  {
    id: 'A10',
    gap: "Header for the caller's request ID",
    assume: 'x-request-id.',
    override: 'requestIdHeader',
  },
  {
    id: 'A11',
    gap: 'Whether an idempotency key protects a chat request',
    assume: 'No: a chat request that may have been charged is not resent.',
    override: 'retryAmbiguous.chat',
  },
  {
    id: 'A12',
    gap: 'Whether an idempotency key protects voice clone and design requests',
    assume: 'No: a request that may have been charged is not resent.',
    override: 'retryAmbiguous.voices',
  },
  {
    id: 'A13',
    gap: 'Idempotency key reused with a different body',
    assume: 'The service decides: it returns the original task or a 409.',
    override: null,
  },
  {
    id: 'A14',
    gap: 'How long a submission holds its concurrency slot',
    assume: 'Until the submit request ends; a running task holds no slot.',
    override: null,
  },
  {
    id: 'A15',
    gap: 'Whether a failed task is refunded',
    assume: 'The ledger adds up reported charges and ignores refunds.',
    override: null,
  },
  {
    id: 'A16',
    gap: 'Shape of capabilities, error catalog, pricing, rate limits and changelog',
    assume: 'Open records in which every field is optional.',
    override: null,
  },
  {
    id: 'A17',
    gap: 'Anthropic and Gemini model lists',
    assume: 'The headers and list formats of those two APIs.',
    override: null,
  },
  {
    id: 'A18',
    gap: 'Webhooks',
    assume: 'Not documented, so the client does not verify any.',
    override: null,
  },
  {
    id: 'A19',
    gap: 'Currency of the voice price formulas',
    assume: 'USD.',
    override: null,
  },
  {
    id: 'A20',
    gap: 'Usage records, cost estimates, image edits and /v1beta/interactions',
    assume: 'Available only through gateway.request().',
    override: null,
  },
  {
    id: 'A21',
    gap: 'How the last page of a material list is marked',
    assume: 'has_more is false, or next_cursor is missing.',
    override: null,
  },
  {
    id: 'A22',
    gap: 'Lifetime of a verification URL',
    assume: 'The lifetime that the service reports.',
    override: null,
  },
];
