import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { openTelemetry } from 'polygate/otel';
import type { OpenTelemetryOptions } from 'polygate/otel';
import { describe, expectTypeOf, test } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { Polygate } from '../../src/index.ts';
import type {
  Charge,
  ChatClientOptions,
  PolygateOptions,
  ResponseMeta,
  TaskKind,
  Telemetry,
  TelemetryCall,
  TelemetryEvent,
  TelemetryGenerate,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
  TelemetryWait,
} from '../../src/index.ts';

describe('telemetry', () => {
  test('is an option of both clients', () => {
    expectTypeOf<PolygateOptions['telemetry']>().toEqualTypeOf<Telemetry | undefined>();
    expectTypeOf<ChatClientOptions['telemetry']>().toEqualTypeOf<Telemetry | undefined>();
    expectTypeOf(openTelemetry).returns.toEqualTypeOf<Telemetry>();
    void new Polygate({ telemetry: openTelemetry() });
    void new ChatClient({ telemetry: openTelemetry({ captureContent: true }) });
    void new Polygate().withOptions({ telemetry: undefined });
    // @ts-expect-error a telemetry needs startSpan
    void new Polygate({ telemetry: {} });
  });

  test('has options for OpenTelemetry', () => {
    expectTypeOf<OpenTelemetryOptions>().toEqualTypeOf<{
      tracerProvider?: TracerProvider | undefined;
      meterProvider?: MeterProvider | undefined;
      captureContent?: boolean | undefined;
    }>();
  });

  test('can be implemented without a context, or with', () => {
    const span: TelemetrySpan = { runAttempt: (send) => send(), event() {}, end() {} };
    const ignoring: Telemetry = { startSpan: () => undefined };
    const complete: Telemetry = {
      startSpan(operation, parent) {
        expectTypeOf(operation).toEqualTypeOf<TelemetryOperation>();
        expectTypeOf(parent).toEqualTypeOf<TelemetrySpan | undefined>();
        return span;
      },
      captureContext: () => (start) => {
        expectTypeOf(start).toEqualTypeOf<() => void>();
        start();
      },
    };
    expectTypeOf([ignoring, complete]).items.toEqualTypeOf<Telemetry>();
    // @ts-expect-error a span needs all three methods
    const incomplete: Telemetry = { startSpan: () => ({ event() {}, end() {} }) };
    // @ts-expect-error a span is not a promise
    const late: Telemetry = { startSpan: async () => span };
    expectTypeOf([incomplete, late]).items.toEqualTypeOf<Telemetry>();
  });

  test('narrows operations and events by their type', () => {
    const operate = (operation: TelemetryOperation) => {
      if (operation.type === 'call') {
        expectTypeOf(operation).toEqualTypeOf<TelemetryCall>();
        expectTypeOf(operation.body).toEqualTypeOf<string | Uint8Array | undefined>();
        expectTypeOf(operation.method).toEqualTypeOf<string>();
      } else if (operation.type === 'wait') {
        expectTypeOf(operation).toEqualTypeOf<TelemetryWait>();
        expectTypeOf(operation.kind).toEqualTypeOf<TaskKind | 'material'>();
      } else {
        expectTypeOf(operation).toEqualTypeOf<TelemetryGenerate>();
        expectTypeOf(operation.model).toEqualTypeOf<string>();
      }
    };
    const happen = (event: TelemetryEvent) => {
      if (event.type === 'charge') expectTypeOf(event.charge).toEqualTypeOf<Charge>();
      if (event.type === 'queued') expectTypeOf(event.ms).toEqualTypeOf<number>();
      if (event.type === 'retry') {
        expectTypeOf(event.status).toEqualTypeOf<number | undefined>();
        expectTypeOf(event.delayMs).toEqualTypeOf<number>();
      }
      if (event.type === 'status') expectTypeOf(event.status).toEqualTypeOf<string>();
    };
    expectTypeOf(operate).parameter(0).not.toBeAny();
    expectTypeOf(happen).parameter(0).not.toBeAny();
    expectTypeOf<TelemetryResult['meta']>().toEqualTypeOf<(() => ResponseMeta) | undefined>();
  });
});
