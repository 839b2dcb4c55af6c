/** The names that may be exported, from the contract: those of the GenAI conventions, and those of polygate. */

const allowedAttributes: ReadonlySet<string> = new Set([
  'error.type',
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.request.stream',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.id',
  'gen_ai.response.model',
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'polygate.charge_usd',
  'polygate.outcome',
  'polygate.replayed',
  'polygate.request_id',
  'polygate.task_id',
  'server.address',
  'server.port',
]);

/** Only with `captureContent`. */
const contentAttributes = ['gen_ai.input.messages', 'gen_ai.output.messages'];

/** The events, and the attributes of each. */
const allowedEvents: ReadonlyMap<string, readonly string[]> = new Map([
  ['polygate.fallback', ['http.response.status_code', 'polygate.failed_model']],
  ['polygate.queued', ['polygate.queue_ms']],
  ['polygate.retry', ['http.response.status_code', 'polygate.attempt', 'polygate.delay_ms']],
  ['polygate.status', ['polygate.status']],
]);

const inferenceAttributes = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'server.address',
  'server.port',
];
const tokenAttributes = [...inferenceAttributes, 'gen_ai.token.modality'];

/** The metrics, and the attributes of each. */
const allowedMetrics: ReadonlyMap<string, readonly string[]> = new Map([
  ['gen_ai.client.inference.duration', [...inferenceAttributes, 'error.type']],
  ['gen_ai.client.inference.time_to_first_chunk', inferenceAttributes],
  ['gen_ai.client.inference.usage.input_tokens', tokenAttributes],
  ['gen_ai.client.inference.usage.output_tokens', tokenAttributes],
  ['polygate.client.charge', ['gen_ai.request.model', 'polygate.route']],
  ['polygate.client.requests.in_flight', inferenceAttributes],
]);

/** Names that the conventions had before November 2026. */
const deprecatedName =
  /^gen_ai\.(system|prompt|completion|server\..+|usage\.(prompt|completion)_tokens|client\.(operation\.(duration|time_to_first_chunk|time_per_output_chunk)|token\.usage)|token\.type|response\.time_to_first_token|content\..+|(system|user|assistant|tool)\.message|choice|openai\..+|request\.(max_output_tokens|seed_tokens)|agent\.system)$/;

/** What was exported, by name. */
export interface Exported {
  readonly spans: readonly {
    readonly attributes: object;
    readonly events: readonly { readonly name: string; readonly attributes?: object }[];
  }[];
  readonly metrics: readonly {
    readonly descriptor: { readonly name: string };
    readonly dataPoints: readonly { readonly attributes: object }[];
  }[];
}

/** The exported names that are not allowed. Deprecated ones are marked. */
export function wrongNames({ spans, metrics }: Exported, captureContent: boolean): string[] {
  const wrong = new Set<string>();
  const check = (name: string, isAllowed: boolean) => {
    if (deprecatedName.test(name)) wrong.add(`${name} (deprecated)`);
    else if (!isAllowed) wrong.add(name);
  };
  const checkKeys = (attributes: object, allowed: readonly string[] = []) => {
    for (const name of Object.keys(attributes)) check(name, allowed.includes(name));
  };
  const ofSpans = [...allowedAttributes, ...(captureContent ? contentAttributes : [])];
  for (const { attributes, events } of spans) {
    checkKeys(attributes, ofSpans);
    for (const event of events) {
      check(event.name, allowedEvents.has(event.name));
      checkKeys(event.attributes ?? {}, allowedEvents.get(event.name));
    }
  }
  for (const { descriptor, dataPoints } of metrics) {
    check(descriptor.name, allowedMetrics.has(descriptor.name));
    for (const { attributes } of dataPoints) {
      checkKeys(attributes, allowedMetrics.get(descriptor.name));
    }
  }
  return [...wrong];
}
