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

/** What the specification leaves open, what the client assumes, and the option that overrides it. */
const rows: readonly (readonly [gap: string, assume: string, override?: string])[] = [
  // A1
  ['Poll path of video tasks', 'GET /v1/videos/{id}.', 'paths.videoTask'],
  // A2
  ['Poll path of image generations', 'GET /v1/images/tasks/{id}.', 'paths.imageTask'],
  // A3
  ['Image and video task records', 'Like audio task records.'],
  // A4
  ['Task status values', 'Unknown means running.'],
  // A5
  ['Result URLs', 'In any common field.'],
  // A6
  ['Wrapped task records', 'In "data" or "task".'],
  // A7
  ['Submit responses with a result', 'Task succeeded.'],
  // A8
  ['Chat completions and chunks', 'OpenAI format.'],
  // A9
  ['Undocumented error bodies', 'Any common format.'],
  // A10
  ['Request id header', 'x-request-id.', 'requestIdHeader'],
  // A11
  ['Idempotent replay of chat', 'None.', 'retryAmbiguous.chat'],
  // A12
  ['Idempotent replay of voices', 'None.', 'retryAmbiguous.voices'],
  // A13
  ['Idempotency key with another body', 'Original task or 409.'],
  // A14
  ['Concurrency slot of a task', 'Held for the submit request.'],
  // A15
  ['Refunds of failed tasks', 'Ignored.'],
  // A16
  ['Records of gateway.public', 'No required fields.'],
  // A17
  ['Anthropic and Gemini model lists', 'As in those APIs.'],
  // A18
  ['Webhooks', 'Like polled task records; signatures are not checked.'],
  // A19
  ['Currency of voice prices', 'USD.'],
  // A20
  ['Endpoints without a method', 'Through gateway.request().'],
  // A21
  ['Last page of a material list', 'No has_more or no next_cursor.'],
  // A22
  ['Lifetime of a verification URL', 'As reported.'],
];

/** Every gap in the specification with the client's assumption, in order from A1. */
export const assumptions: readonly Assumption[] = /* @__PURE__ */ rows.map(
  ([gap, assume, override = null], index) => ({ id: `A${index + 1}`, gap, assume, override }),
);
