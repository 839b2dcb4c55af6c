import { context, SpanStatusCode, metrics } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanContext, MeterProvider } from '@opentelemetry/api';
import type {
  Charge,
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from 'polygate';

import { version } from '../../internal.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { resultAttributes } from './attributes.ts';
import type { Inference } from './attributes.ts';
import { inputMessages, outputMessages, fieldsOf } from './content.ts';

/** What a span needs to record its operation. */
interface Recorder {
  /**
   * The instruments when the operation started. A counter that one meter provider increased must not be decreased in
   * another that was registered in the meantime.
   */
  readonly instruments: ReturnType<typeof createInstruments>;
  readonly inference: Inference | undefined;
  /** Attributes of the metrics. */
  readonly attributes: Attributes;
  readonly captureContent: boolean;
  readonly rememberSubmission: (taskId: string, spanContext: SpanContext) => void;
}

/** Records one operation as a span, and as metrics. */
export class OperationSpan implements TelemetrySpan {
  /** The context in which this span is active. */
  readonly context: Context;
  readonly #operation: TelemetryOperation;
  readonly #span: Span;
  readonly #recorder: Recorder;
  readonly #startedAt = performance.now();
  #sentAt = this.#startedAt;
  #secondsToFirstChunk: number | undefined;
  #chargeUsd = 0;
  #status: string | undefined;
  #isInFlight = false;
  #hasEnded = false;

  constructor(operation: TelemetryOperation, span: Span, spanContext: Context, recorder: Recorder) {
    this.context = spanContext;
    this.#operation = operation;
    this.#span = span;
    this.#recorder = recorder;
    if (operation.type === 'call') {
      this.#recordContent('gen_ai.input.messages', () => inputMessages(operation.body));
    }
  }

  runAttempt(send: () => void): void {
    this.#sentAt = performance.now();
    this.#setInFlight(!this.#hasEnded);
    context.with(this.context, send);
  }

  event(event: TelemetryEvent): void {
    switch (event.type) {
      case 'charge':
        return this.#addCharge(event.charge);
      case 'first-chunk':
        this.#secondsToFirstChunk = secondsSince(this.#sentAt);
        return;
      case 'retry':
        this.#setInFlight(false);
        return this.#addEvent('polygate.retry', {
          'polygate.attempt': event.attempt,
          'http.response.status_code': event.status,
          'polygate.delay_ms': event.delayMs,
        });
      case 'fallback':
        return this.#addEvent('polygate.fallback', {
          'polygate.failed_model': event.from,
          'http.response.status_code': event.status,
        });
      case 'queued':
        return this.#addEvent('polygate.queued', { 'polygate.queue_ms': event.ms });
      case 'status':
        return this.#addStatus(event.status);
    }
  }

  #addStatus(status: unknown): void {
    if (typeof status !== 'string' || status === this.#status) return;
    this.#status = status;
    this.#addEvent('polygate.status', { 'polygate.status': status });
  }

  end(result: TelemetryResult): void {
    if (this.#hasEnded) return;
    // A task can be finished before its first poll.
    if (this.#operation.type === 'wait') this.#addStatus(fieldsOf(result.data).status);
    this.#hasEnded = true;
    this.#setInFlight(false);
    const { inference } = this.#recorder;
    const attributes = resultAttributes(this.#operation, inference, result);
    const taskId = attributes['polygate.task_id'];
    const isInference = inference !== undefined;
    if (isInference && taskId !== undefined) {
      this.#recorder.rememberSubmission(taskId, this.#span.spanContext());
    }
    this.#recordContent('gen_ai.output.messages', () => outputMessages(result.data));
    this.#span.setAttributes(attributes);
    const toFirstChunk = this.#secondsToFirstChunk;
    if (toFirstChunk !== undefined) {
      this.#span.setAttribute('gen_ai.response.time_to_first_chunk', toFirstChunk);
    }
    // Without a message: that of the error may repeat the prompt.
    if (attributes['error.type'] !== undefined)
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
    if (isInference) this.#recordMetrics(attributes);
  }

  #addEvent(name: string, attributes: Attributes): void {
    if (!this.#hasEnded) this.#span.addEvent(name, omitUndefined(attributes));
  }

  /** A late charge is counted, but no longer recorded in the span. */
  #addCharge({ usd, model, route }: Charge): void {
    this.#chargeUsd += usd;
    if (!this.#hasEnded) this.#span.setAttribute('polygate.charge_usd', this.#chargeUsd);
    if (usd === 0) return;
    const attributes = omitUndefined({ 'gen_ai.request.model': model, 'polygate.route': route });
    this.#recorder.instruments.charge.add(usd, attributes, this.context);
  }

  #setInFlight(isInFlight: boolean): void {
    if (isInFlight === this.#isInFlight) return;
    this.#isInFlight = isInFlight;
    const { instruments, attributes } = this.#recorder;
    instruments.inFlight.add(isInFlight ? 1 : -1, attributes, this.context);
  }

  #recordContent(name: string, content: () => string | undefined): void {
    if (this.#recorder.inference !== 'chat') return;
    if (!this.#recorder.captureContent || !this.#span.isRecording()) return;
    const text = content();
    if (text !== undefined) this.#span.setAttribute(name, text);
  }

  #recordMetrics(result: ReturnType<typeof resultAttributes>): void {
    const { duration, timeToFirstChunk, inputTokens, outputTokens } = this.#recorder.instruments;
    const { 'gen_ai.response.model': model, 'error.type': error } = result;
    const attributes = omitUndefined({
      ...this.#recorder.attributes,
      'gen_ai.response.model': model,
    });
    const failed = omitUndefined({ ...attributes, 'error.type': error });
    duration.record(secondsSince(this.#startedAt), failed, this.context);
    if (this.#recorder.inference !== 'chat') return;
    const toFirstChunk = this.#secondsToFirstChunk;
    if (toFirstChunk !== undefined) timeToFirstChunk.record(toFirstChunk, attributes, this.context);
    // The conventions require the modality, and a 0 if no usage is reported.
    const ofTokens = { ...attributes, 'gen_ai.token.modality': 'unknown' };
    inputTokens.add(result['gen_ai.usage.input_tokens'] ?? 0, ofTokens, this.context);
    outputTokens.add(result['gen_ai.usage.output_tokens'] ?? 0, ofTokens, this.context);
  }
}

const secondsSince = (start: number) => (performance.now() - start) / 1000;

/** Bucket boundaries in seconds that the conventions recommend. */
const explicitBucketBoundaries = Array.from({ length: 14 }, (_, index) => 2 ** index / 100);

/**
 * Returns a function that returns the instruments of the provider, or else of the global provider at that time. Unlike
 * a tracer, a meter of the API never switches to a provider that is registered later.
 */
export function instrumentSource(meterProvider: MeterProvider | undefined) {
  let source: MeterProvider | undefined;
  let instruments: ReturnType<typeof createInstruments> | undefined;
  return () => {
    const provider = meterProvider ?? metrics.getMeterProvider();
    if (instruments === undefined || provider !== source) {
      source = provider;
      instruments = createInstruments(provider);
    }
    return instruments;
  };
}

/** The metrics of a client. */
function createInstruments(provider: MeterProvider) {
  const meter = provider.getMeter('polygate', version);
  const seconds = { unit: 's', advice: { explicitBucketBoundaries } };
  return {
    duration: meter.createHistogram('gen_ai.client.inference.duration', {
      ...seconds,
      description: 'GenAI client inference operation duration.',
    }),
    timeToFirstChunk: meter.createHistogram('gen_ai.client.inference.time_to_first_chunk', {
      ...seconds,
      description: 'Time from sending the request to receiving the first chunk of the response.',
    }),
    inputTokens: meter.createCounter('gen_ai.client.inference.usage.input_tokens', {
      unit: '{token}',
      description: 'The number of input tokens used, including cached tokens.',
    }),
    outputTokens: meter.createCounter('gen_ai.client.inference.usage.output_tokens', {
      unit: '{token}',
      description: 'The number of output tokens used, including reasoning tokens.',
    }),
    charge: meter.createCounter('polygate.client.charge', {
      unit: '{USD}',
      description: 'Charges reported by the service. A replay adds nothing.',
    }),
    inFlight: meter.createUpDownCounter('polygate.client.requests.in_flight', {
      unit: '{request}',
      description:
        'The number of requests that are being sent or whose response is being received.',
    }),
  };
}
