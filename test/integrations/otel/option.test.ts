import { metrics, trace } from '@opentelemetry/api';
import { openTelemetry } from 'polygate/otel';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ChatClient } from '../../../src/chat.ts';
import { ConfigurationError, Polygate } from '../../../src/index.ts';
import type { Telemetry } from '../../../src/index.ts';
import { baseURL, onMock, thrown } from '../../client/support.ts';
import { chat, image, observed } from './observed.ts';
import { providers, recording } from './support.ts';

const apiKey = 'sk-test';

describe('the option telemetry', () => {
  test.each([null, 5, 'otel', {}, [], openTelemetry, { startSpan: true }, { startspan() {} }])(
    'rejects %o',
    (telemetry) => {
      const options = { apiKey, baseURL, telemetry };
      const { gateway } = onMock();
      for (const create of [
        () => Reflect.construct(Polygate, [options]),
        () => Reflect.construct(ChatClient, [options]),
        () => Reflect.apply(gateway.withOptions, gateway, [{ telemetry }]),
      ]) {
        const error = thrown(create);
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(error.message).toBe('telemetry: must be an object with startSpan().');
      }
    },
  );

  test('accepts undefined, and an object of a class', () => {
    class Mine implements Telemetry {
      startSpan() {
        return undefined;
      }
    }
    for (const telemetry of [undefined, openTelemetry(), new Mine()]) {
      expect(() => new Polygate({ apiKey, baseURL, telemetry })).not.toThrow();
    }
  });

  test('is inherited by withOptions, which can replace it', async () => {
    const { gateway, settle, spans } = observed();
    const other = recording();
    await settle(gateway.withOptions({ timeout: 1000 }).models.list());
    expect(spans()).toHaveLength(1);
    await settle(gateway.withOptions({ telemetry: other.telemetry }).models.list());
    expect([spans().length, other.spans().length]).toEqual([1, 1]);
    await settle(gateway.models.list());
    expect([spans().length, other.spans().length]).toEqual([2, 1]);
  });

  test('keeps its method bound to the object', async () => {
    class Counting implements Telemetry {
      readonly #names: string[] = [];

      startSpan(operation: Parameters<Telemetry['startSpan']>[0]) {
        this.#names.push(operation.type);
        return undefined;
      }

      captureContext() {
        this.#names.push('context');
        return (start: () => void) => start();
      }

      get names() {
        return this.#names;
      }
    }
    const telemetry = new Counting();
    const { gateway, mock } = onMock({}, { telemetry });
    await mock.clock.settle(gateway.models.list());
    expect(telemetry.names).toEqual(['context', 'call']);
  });

  test('is needed: without it, nothing is recorded, even by global providers', async () => {
    const { tracerProvider, meterProvider, started, metrics: recorded } = providers();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    onTestFinished(() => {
      trace.disable();
      metrics.disable();
    });
    const { gateway, mock } = onMock();
    await mock.clock.settle(gateway.images.generate(image));
    await mock.clock.settle(gateway.withOptions({ telemetry: undefined }).models.list());
    expect([started, await recorded()]).toEqual([[], []]);
  });

  test('is an option of ChatClient', async () => {
    const { mock, settle, telemetry, outline } = observed();
    const { fetch, clock, baseURL: url } = mock;
    const client = new ChatClient({
      apiKey: mock.apiKey,
      baseURL: url,
      fetch,
      clock,
      telemetry,
      logLevel: 'off',
    });
    await settle(client.chat.completions.create(chat));
    await settle(client.chat.completions.stream(chat).final());
    await settle(client.withOptions({ timeout: 1000 }).chat.completions.create(chat));
    expect(outline()).toEqual(['chat aurora-chat']);
  });
});
