/** The book of `doctor`, which decides itself what it sends: to the reference gateway, whose responses change on the way. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { invoicedUsd, possibleUsd, startMock } from '../tools/doctor/diagnosed-mock.ts';
import type { Wrap } from '../tools/doctor/diagnosed-mock.ts';
import { BrokenRule } from './check.ts';
import { anyFate, fateOf } from './fates.ts';

/** Gives each paid request the next fate. */
const withFates =
  (names: readonly string[]): Wrap =>
  (fetch) => {
    let count = 0;
    return async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'POST') return fetch(request);
      const name = names[count] ?? 'accepted';
      count += 1;
      const fate = fateOf(name);
      if (!fate.isHandled)
        return fate.respond({ taskId: '', shownUsd: undefined, isReplay: false });
      const response = await fetch(request);
      if (name === 'accepted' || !response.ok) return response;
      const { id } = await response.json().catch(() => ({ id: 'chat' }));
      const charge = response.headers.get('x-svc-charge-usd');
      return fate.respond({
        taskId: String(id),
        shownUsd: charge === null ? undefined : Number(charge),
        isReplay: response.headers.has('x-svc-idempotent-replay'),
      });
    };
  };

const settings = fc.record({
  maxSpendUsd: fc.constantFrom(0.0001, 0.005, 0.0086, 0.0153, 0.03, 0.1),
  names: fc.array(fc.oneof(fc.constant('accepted'), fc.constantFrom(...anyFate)), { maxLength: 8 }),
});

/** Runs diagnoses of services that fail in random ways. */
export function testDoctor(seed: number, numRuns: number): void {
  test(`doctor spends no more than allowed, and says what it has spent (POLYGATE_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(settings, async ({ maxSpendUsd, names }) => {
      const { run, mock } = startMock({}, withFates(names));
      const diagnosis = await run({ maxSpendUsd });
      const invoice = invoicedUsd(mock);
      const said = possibleUsd(diagnosis);
      if (invoice > maxSpendUsd || said < invoice - 1e-9)
        throw new BrokenRule(`${invoice} of ${maxSpendUsd} USD were charged, and ${said} are said`);
    });
    await expect(fc.assert(property, { seed, numRuns })).resolves.toBeUndefined();
  });
}
