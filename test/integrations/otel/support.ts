import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan, Sampler, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openTelemetry } from 'polygate/otel';
import type { OpenTelemetryOptions } from 'polygate/otel';

import type {
  TelemetryCall,
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../../src/index.ts';

class Reader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

/** Providers of the SDK that keep everything in memory. */
export function providers(sampler?: Sampler) {
  const exporter = new InMemorySpanExporter();
  const started: ReadableSpan[] = [];
  const recordStart: SpanProcessor = {
    onStart: (span) => void started.push(span),
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const reader = new Reader();
  const collect = async () => {
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  };
  return {
    tracerProvider: new BasicTracerProvider({
      spanProcessors: [recordStart, new SimpleSpanProcessor(exporter)],
      ...(sampler && { sampler }),
    }),
    meterProvider: new MeterProvider({ readers: [reader] }),
    /** All spans in the order in which they started. */
    started,
    /** The spans that have ended, in the order in which they did. */
    spans: () => exporter.getFinishedSpans(),
    metrics: collect,
    /** Attributes and value of each point of a metric; for a histogram, the sum. */
    points: async (name: string) => {
      const found = (await collect()).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => ({
        attributes,
        value: typeof value === 'number' ? value : value.sum,
      }));
    },
  };
}

/** A telemetry with providers of its own. */
export function recording(options: Pick<OpenTelemetryOptions, 'captureContent'> = {}) {
  const memory = providers();
  const { tracerProvider, meterProvider } = memory;
  const telemetry = openTelemetry({ tracerProvider, meterProvider, ...options });
  const start = (operation: TelemetryOperation, parent?: TelemetrySpan) => {
    const span = telemetry.startSpan(operation, parent);
    if (span === undefined) throw new Error('The operation was ignored.');
    return span;
  };
  /** Runs an operation and returns its span. */
  const run = (
    operation: TelemetryOperation,
    result: TelemetryResult = {},
    events: readonly TelemetryEvent[] = [],
  ): ReadableSpan => {
    const span = start(operation);
    for (const event of events) span.event(event);
    span.end(result);
    const recorded = memory.spans().at(-1);
    if (recorded === undefined) throw new Error('No span has ended.');
    return recorded;
  };
  return { ...memory, telemetry, start, run };
}

export const chat: TelemetryCall = {
  type: 'call',
  method: 'POST',
  template: '/v1/chat/completions',
  baseURL: 'https://gateway.example',
  model: 'aurora-chat',
};

export const submission: TelemetryCall = {
  ...chat,
  template: '/v1/images/tasks',
  model: 'prism-image',
};

export const poll: TelemetryCall = {
  type: 'call',
  method: 'GET',
  template: '/v1/images/tasks/{id}',
  baseURL: 'https://gateway.example',
};

export const meta = (requestId: string, idempotentReplay = false, taskId?: string) => ({
  requestId,
  idempotentReplay,
  taskId,
  status: 200,
  concurrency: {},
  headers: new Headers({ authorization: 'Bearer sk-secret' }),
});

/** The function that returns the metadata of a response, as a client passes it. */
export const metaOf =
  (...details: Parameters<typeof meta>) =>
  () =>
    meta(...details);

export const completion = {
  id: 'chatcmpl-1',
  model: 'aurora-chat-2',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'A reply' }, finish_reason: 'stop' },
    { index: 1, message: { role: 'assistant', content: 'Half a' }, finish_reason: null },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
};

export const charge = (usd: number): TelemetryEvent => ({
  type: 'charge',
  charge: { usd, model: 'prism-image', route: 'POST /v1/images/tasks', replay: usd === 0 },
});
