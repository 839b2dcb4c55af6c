import { metrics } from '@opentelemetry/api';
import type { Counter, Histogram, MeterProvider, UpDownCounter } from '@opentelemetry/api';

import { version } from '../../internal.ts';

/** The metrics of a client. */
export interface Instruments {
  readonly duration: Histogram;
  readonly timeToFirstChunk: Histogram;
  readonly inputTokens: Counter;
  readonly outputTokens: Counter;
  readonly charge: Counter;
  readonly inFlight: UpDownCounter;
}

/** Bucket boundaries in seconds that the conventions recommend. */
const explicitBucketBoundaries = Array.from({ length: 14 }, (_, index) => 2 ** index / 100);

/**
 * Returns a function that returns the instruments of the provider, or else of the global provider at that time. Unlike
 * a tracer, a meter of the API never switches to a provider that is registered later.
 */
export function instrumentSource(meterProvider: MeterProvider | undefined): () => Instruments {
  let source: MeterProvider | undefined;
  let instruments: Instruments | undefined;
  return () => {
    const provider = meterProvider ?? metrics.getMeterProvider();
    if (instruments === undefined || provider !== source) {
      source = provider;
      instruments = createInstruments(provider);
    }
    return instruments;
  };
}

function createInstruments(provider: MeterProvider): Instruments {
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
