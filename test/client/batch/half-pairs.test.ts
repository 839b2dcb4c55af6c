import { expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { lockedJournal, newProcess } from './support.ts';

test('a row whose prompt ends with half a pair continues under its key, and is charged once', async () => {
  const world = onMock({}, { maxRetries: 0 });
  const fault = world.mock.fail({ reset: 'after' });
  const journal = lockedJournal();
  const run = ({ gateway, mock }: typeof world) =>
    mock.clock.settle(
      collect(
        gateway.batch(
          [1],
          () => gateway.images.submission({ model: 'prism-image', prompt: 'a\ud83d' }),
          { journal },
        ),
      ),
    );
  expect(await run(world)).toMatchObject([{ status: 'unknown' }]);
  fault.remove();
  for (let times = 0; times < 2; times += 1) {
    expect(await run(newProcess(world))).toMatchObject([{ status: 'succeeded' }]);
  }
  const submissions = world.mock.requests.filter(({ method }) => method === 'POST');
  expect(submissions.map(({ body }) => body)).toMatchObject([
    { prompt: 'a\ufffd' },
    { prompt: 'a\ufffd' },
  ]);
  expect(world.mock.invoice).toHaveLength(1);
});
