import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { HookError } from '../../../src/index.ts';
import type { Hooks } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { chat, clientOf, completed, image, onMock, scripted } from '../support.ts';

function clientWithHooks(hooks: Hooks) {
  return clientOf(scripted(completed).fetch, { apiKey: 'sk-canary-51d0c3', hooks });
}

describe('a printed HookError', () => {
  test('shows where the hook failed, and its message once', async () => {
    const gateway = clientWithHooks({
      beforeRequest: [
        function broken() {
          throw new TypeError('No tenant');
        },
      ],
    });
    const printed = inspect(await rejection(HookError, gateway.chat.completions.create(chat)));
    expect(printed).toMatch(/\[cause\]: TypeError at .*broken .*printed-errors\.test\.ts/);
    expect(printed.split('No tenant')).toHaveLength(2);
  });

  test('does not contain the API key that a hook put into its message', async () => {
    const gateway = clientWithHooks({
      beforeRequest: [
        ({ request }) => {
          throw new Error(`Bad header ${request.headers.get('authorization')}`);
        },
      ],
    });
    const error = await rejection(HookError, gateway.chat.completions.create(chat));
    expect(inspect(error)).toContain('Bearer (the API key)');
    expect(inspect(error)).not.toContain('sk-canary');
  });
});

test('a task that an earlier attempt has accepted is on the error of a hook', async () => {
  let attempts = 0;
  const { mock, gateway } = onMock(
    {},
    {
      timeout: 1_000,
      hooks: {
        beforeRequest: [
          () => {
            attempts += 1;
            if (attempts === 2) throw new Error('The second attempt');
          },
        ],
        afterResponse: [() => new Promise<undefined>(() => undefined)],
      },
    },
  );
  const error = await mock.clock.settle(rejection(HookError, gateway.images.submit(image)));
  expect(error.task?.id).toBe(mock.tasks[0]?.id);
  expect(error).toMatchObject({ outcome: 'unknown' });
});
