import { describe, expect, test } from 'vitest';

import { nextRead, nextStep } from '../../../src/client/batch/row-pool.ts';
import type { ReadState, Step, StepState } from '../../../src/client/batch/row-pool.ts';

describe('whether a pool reads the next row', () => {
  const idle: ReadState = {
    isEnding: false,
    inFlight: 0,
    maxInFlight: 1_000,
    active: 0,
    requests: 0,
  };

  test.each<[string, Partial<ReadState>, ReturnType<typeof nextRead>]>([
    ['nothing is in flight', {}, 'read'],
    ['one place is free', { inFlight: 999 }, 'read'],
    ['no place is free', { inFlight: 1_000 }, 'wait'],
    ['15 rows are ahead of the requests', { inFlight: 20, active: 20, requests: 5 }, 'read'],
    ['16 rows are ahead of the requests', { inFlight: 21, active: 21, requests: 5 }, 'wait'],
    ['16 rows are prepared and no request is in flight', { inFlight: 16, active: 16 }, 'wait'],
    ['all rows in flight are accepted', { inFlight: 999, active: 0, requests: 0 }, 'read'],
    ['requests are not limited', { inFlight: 999, active: 999, requests: undefined }, 'read'],
    [
      'requests are not limited, and no place is free',
      { inFlight: 1_000, requests: undefined },
      'wait',
    ],
    ['the run ends, and places are free', { isEnding: true }, 'stop'],
    ['the run ends, and no place is free', { isEnding: true, inFlight: 1_000 }, 'stop'],
  ])('when %s', (_, change, expected) => {
    expect(nextRead({ ...idle, ...change })).toBe(expected);
  });
});

describe('the next step of a run', () => {
  const ended: StepState<string, string> = {
    result: undefined,
    isAborted: false,
    pauseReason: undefined,
    mayReadMore: false,
    running: 0,
    recording: 0,
  };

  test.each<[string, Partial<StepState<string, string>>, Step<string, string>['type']]>([
    ['a result is available', { result: 'a row', running: 3, mayReadMore: true }, 'yield'],
    ['a result is available in an aborted run', { result: 'a row', isAborted: true }, 'yield'],
    ['a result is available in a paused run', { result: 'a row', pauseReason: '402' }, 'yield'],
    ['the caller has aborted, and rows are running', { isAborted: true, running: 3 }, 'abort'],
    [
      'the caller has aborted, and a line is being written',
      { isAborted: true, recording: 1 },
      'abort',
    ],
    ['the caller has aborted a paused run', { isAborted: true, pauseReason: '402' }, 'abort'],
    ['rows are running', { running: 1 }, 'wait'],
    ['rows are running in a paused run', { pauseReason: '402', running: 1 }, 'wait'],
    ['more rows may be read', { mayReadMore: true }, 'wait'],
    ['more rows may be read in a paused run', { pauseReason: '402', mayReadMore: true }, 'wait'],
    ['the end of a row is not durable yet', { recording: 1 }, 'wait'],
    [
      'the end of a row is not durable yet in a paused run',
      { pauseReason: '402', recording: 1 },
      'wait',
    ],
    ['nothing is left in a paused run', { pauseReason: '402' }, 'pause'],
    ['nothing is left', {}, 'end'],
  ])('when %s', (_, change, expected) => {
    expect(nextStep({ ...ended, ...change }).type).toBe(expected);
  });

  test('carries the result to yield, or the reason of the pause', () => {
    const paused = { ...ended, pauseReason: '402' };
    expect(nextStep({ ...paused, result: 'a row' })).toEqual({ type: 'yield', result: 'a row' });
    expect(nextStep(paused)).toEqual({ type: 'pause', reason: '402' });
  });
});
