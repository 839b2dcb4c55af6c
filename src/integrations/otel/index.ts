import { context, isSpanContextValid, SpanKind, trace } from '@opentelemetry/api';
import type { MeterProvider, SpanContext, TracerProvider } from '@opentelemetry/api';
import { ConfigurationError } from 'polygate';
import type { Telemetry } from 'polygate';

import { booleanValue, objectWithMethods, optionsProblem, version } from '../../internal.ts';
import type { Rule } from '../../internal.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { sharedAttributes, spanAttributes, spanName, inferenceOf } from './attributes.ts';
import { instrumentSource, OperationSpan } from './span.ts';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * Creates the spans.
   * @defaultValue the global provider, which can be registered later
   */
  tracerProvider?: TracerProvider | undefined;
  /**
   * Creates the metrics.
   * @defaultValue the global provider, which can be registered later
   */
  meterProvider?: MeterProvider | undefined;
  /**
   * Whether the spans of chats record the messages that are sent and received, as JSON, in `gen_ai.input.messages` and
   * `gen_ai.output.messages`. Inline images and audio are recorded in full.
   * @defaultValue false
   */
  captureContent?: boolean | undefined;
}

/** How many submissions are remembered for links from the spans of their waits. */
const maxSubmissions = 10_000;

/**
 * Records the operations of a client as spans and metrics of OpenTelemetry: a value for its `telemetry` option. Names
 * follow the GenAI semantic conventions of November 2026; other names start with `polygate.`. The API key and result
 * URLs are never recorded, prompts and responses only with `captureContent`.
 *
 * Operations nest under the span that is active when you call the method, if a context manager is registered. Each
 * request is sent with the span of its call active, so instrumentation of `fetch` and your hooks see it. Other
 * callbacks and tools run in your own context.
 *
 * @example
 * ```ts
 * const gateway = new Polygate({ telemetry: openTelemetry() });
 * ```
 *
 * @throws `ConfigurationError` if an option is unknown or invalid.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  checkOptions(options);
  const { tracerProvider = trace, meterProvider, captureContent = false } = options;
  const instruments = instrumentSource(meterProvider);
  const submissions = new Map<string, SpanContext>();

  const rememberSubmission = (taskId: string, spanContext: SpanContext) => {
    if (!isSpanContextValid(spanContext)) return;
    submissions.set(taskId, spanContext);
    const [oldest = ''] = submissions.keys();
    if (submissions.size > maxSubmissions) submissions.delete(oldest);
  };

  return {
    captureContext() {
      const caller = context.active();
      return (start) => context.with(caller, start);
    },

    startSpan(operation, parent) {
      const parentContext = parent instanceof OperationSpan ? parent.context : context.active();
      const submission = operation.type === 'wait' ? submissions.get(operation.id) : undefined;
      const inference = inferenceOf(operation);
      const attributes = sharedAttributes(operation, inference);
      // First, because a span that has started must end even if the provider of the metrics throws.
      const recorder = {
        instruments: instruments(),
        inference,
        attributes,
        captureContent,
        rememberSubmission,
      };
      const span = tracerProvider.getTracer('polygate', version).startSpan(
        spanName(operation, inference),
        {
          kind: operation.type === 'call' ? SpanKind.CLIENT : SpanKind.INTERNAL,
          // All that are known, so that samplers can use them.
          attributes: { ...attributes, ...spanAttributes(operation) },
          links: submission === undefined ? [] : [{ context: submission }],
        },
        parentContext,
      );
      return new OperationSpan(operation, span, trace.setSpan(parentContext, span), recorder);
    },
  };
}

const rules: Readonly<Record<keyof Required<OpenTelemetryOptions>, Rule>> = {
  tracerProvider: [objectWithMethods('getTracer')[0], 'a TracerProvider'],
  meterProvider: [objectWithMethods('getMeter')[0], 'a MeterProvider'],
  captureContent: booleanValue,
};

/** Throws the error class of the installed client, of which this entry point has no copy. */
function checkOptions(options: unknown): void {
  const problem = isRecord(options)
    ? optionsProblem(options, [rules])
    : 'options: must be an object.';
  if (problem !== undefined) throw new ConfigurationError(problem);
}
