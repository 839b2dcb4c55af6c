import * as fc from 'fast-check';

import type { Fault } from '../../../src/mock/index.ts';

/** Kinds of calls. */
export const kinds = [
  'submit an image',
  'generate an image',
  'submit a video',
  'submit music',
  'chat',
  'stream a chat',
  'leave a stream',
  'design a voice',
  'create a material',
] as const;
export type Kind = (typeof kinds)[number];

/** One call. Times are in milliseconds of the client's clock. */
export interface Step {
  readonly kind: Kind;
  readonly startsAt: number;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly abortsAfter: number | undefined;
  /** Calls of one kind with the same row share their key; without a row, the client generates one. */
  readonly row: number | undefined;
}

/** The calls of a run, and the faults that occur in it. */
export interface Schedule {
  readonly limit: number;
  readonly concurrency: 'auto' | number | false;
  readonly latencyMs: number;
  readonly random: number;
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

const routes = [
  undefined,
  'POST /v1/images/tasks',
  'GET /v1/images/tasks/{id}',
  'POST /v1/videos',
  'POST /v1/audio/tasks',
  'POST /v1/chat/completions',
  'POST /v1/audio/voices/design',
  'POST /v1/materials',
] as const;

const failures: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault[]>(
    { reset: 'before' },
    { reset: 'after' },
    { unreachable: true },
    { malformed: true },
    { stallHeaders: true },
    { status: 429 },
    { status: 429, retryAfter: 2 },
    { status: 429, code: 'rate_limited' },
    { status: 429, body: { error: { message: 'Slow down' } } },
    { status: 503 },
    { status: 503, retryAfter: '1.5' },
    { status: 503, body: '<html>Back soon</html>' },
    { status: 400 },
    { status: 402 },
  ),
  fc.record({
    status: fc.constantFrom(408, 500, 502, 504),
    code: fc.constant('internal_error'),
    handled: fc.boolean(),
  }),
  fc.record({ delayMs: fc.integer({ min: 1, max: 20_000 }) }),
  fc.record({ truncateBody: fc.nat(400) }),
  fc.record({ stallBody: fc.nat(400) }),
  fc.record({ splitBytes: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ cutStreamAfter: fc.nat(6), cut: fc.constantFrom('reset', 'end') }),
  fc.record({ streamErrorAfter: fc.nat(4) }),
);

const fault: fc.Arbitrary<Fault> = fc
  .record({
    failure: failures,
    route: fc.constantFrom(...routes),
    times: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ failure, ...where }) => ({ ...failure, ...where }));

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  startsAt: fc.oneof(fc.constant(0), fc.nat(20_000)),
  timeout: fc.constantFrom(700, 5_000, 60_000),
  maxRetries: fc.nat(4),
  abortsAfter: fc.option(fc.nat(30_000), { nil: undefined, freq: 4 }),
  row: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
});

/** Random schedules. */
export const schedules: fc.Arbitrary<Schedule> = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  concurrency: fc.constantFrom<Schedule['concurrency'][]>('auto', 'auto', 'auto', 2, false),
  latencyMs: fc.constantFrom(0, 100),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  faults: fc.array(fault, { maxLength: 10 }),
});
