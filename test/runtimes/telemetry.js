// Traces a call that succeeds and one whose operations nest, with providers of OpenTelemetry that need no globals.
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Polygate } from 'polygate';
import { openTelemetry } from 'polygate/otel';

/** Returns the names of the spans, each with those of its ancestors. */
export async function traceCalls(options) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const telemetry = openTelemetry({ tracerProvider });
  const gateway = new Polygate({ ...options, telemetry });
  await gateway.models.list();
  await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
  return pathsOf(exporter.getFinishedSpans());
}

/** The names of the spans, each with those of its ancestors, without duplicates. */
export function pathsOf(spans) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = ({ name, parentSpanContext }) => {
    if (parentSpanContext === undefined) return name;
    const parent = byId.get(parentSpanContext.spanId);
    return `${parent ? pathOf(parent) : 'unknown'} > ${name}`;
  };
  return [...new Set(spans.map(pathOf))].toSorted((one, other) => (one < other ? -1 : 1));
}
