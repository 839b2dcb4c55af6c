import { metrics } from '@opentelemetry/api';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

import { openTelemetry } from '../../../dist/otel.js';
import { createClient } from './polygate.ts';

/** Discards spans and metrics. */
const exporter = {
  export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

// With the context manager of Node, as in an app.
new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }).register();
// Without a reader, metrics would not be recorded.
const reader = new PeriodicExportingMetricReader({ exporter });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

/** polygate with OpenTelemetry. */
export const client = createClient({ telemetry: openTelemetry() });
