import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { ContextManager } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { openTelemetry } from 'polygate/otel';

import { Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';

/** A reference gateway on a socket, and clients whose spans go to the global provider. */
export async function tracedGateway(
  mockOptions: MockGatewayOptions = {},
  contextManager: ContextManager = new AsyncLocalStorageContextManager(),
) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  // Also enables the propagation of `traceparent`.
  provider.register({ contextManager: contextManager.enable() });
  const durationMs = 50;
  const mock = createMockGateway({
    tasks: { durationMs },
    materials: { durationMs },
    ...mockOptions,
  });
  const { baseURL, close } = await listen(mock);
  const tracer = provider.getTracer('app');
  return {
    mock,
    createClient: (options: PolygateOptions = {}) =>
      new Polygate({ apiKey: mock.apiKey, baseURL, telemetry: openTelemetry(), ...options }),
    /** Calls `work` with a new span active, and returns what it returns. */
    inSpan<Result>(name: string, work: () => Result): Result {
      const span = tracer.startSpan(name, {}, ROOT_CONTEXT);
      const result = context.with(trace.setSpan(ROOT_CONTEXT, span), work);
      span.end();
      return result;
    },
    /** The ids of the spans of this name. */
    idsOf: (name: string) =>
      exporter
        .getFinishedSpans()
        .filter((span) => span.name === name)
        .map((span) => span.spanContext()),
    /** The names of each span and its ancestors, such as `caller > generate image > wait image`. */
    paths: () => pathsOf(exporter.getFinishedSpans()),
    /** The names of the spans of calls. */
    clientSpans: () =>
      exporter
        .getFinishedSpans()
        .filter(({ kind }) => kind === SpanKind.CLIENT)
        .map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      for (const api of [context, metrics, propagation, trace]) api.disable();
      await close();
    },
  };
}

function pathsOf(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = ({ name, parentSpanContext }: ReadableSpan): string => {
    if (parentSpanContext === undefined) return name;
    const parent = byId.get(parentSpanContext.spanId);
    return `${parent ? pathOf(parent) : 'unknown'} > ${name}`;
  };
  return spans.map(pathOf).toSorted();
}

/** Name of the active span. Names of spans are not part of the API. */
export function activeName(): string | undefined {
  const span = trace.getActiveSpan();
  return span !== undefined && 'name' in span ? String(span.name) : undefined;
}
