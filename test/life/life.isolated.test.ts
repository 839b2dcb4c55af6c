import { expect, test } from 'vitest';

import { browser } from './browser.ts';
import { batch, chats } from './journal.ts';
import { commandLine, mcp } from './state-folder.ts';
import { testLife } from './suite.ts';

testLife(commandLine, 100);
testLife(mcp, 50);
testLife(browser, 50);
testLife(batch, 50);
testLife(chats, 50);

test.each([commandLine, mcp])(
  '$name forgets a lost request once the service says that it was invalid',
  async ({ open }) => {
    const world = open();
    const run = { params: 0, death: 'never', isSlow: false, isFull: false } as const;
    for (const [fate, isKept] of [
      ['lost-before', true],
      ['unpaid', true],
      ['void', false],
    ] as const) {
      const ending = await world.start({ ...run, fate }, Promise.resolve());
      expect(ending).toBe(isKept ? 'failed' : 'free');
      expect((await world.stored()).includes('key')).toBe(isKept);
    }
    await world.close?.();
  },
);

test.each([commandLine, mcp, browser, batch, chats])(
  '$name sends nothing for an entry of a newer format, and leaves it as it is',
  async ({ open }) => {
    const world = open();
    const run = { params: 0, death: 'never', isSlow: false, isFull: false } as const;
    await world.start({ ...run, fate: 'lost-after' }, Promise.resolve());
    world.rewrite?.((text) => text.replaceAll(/("v": ?)1/g, '$12'));
    const [before, { length }] = [await world.stored(), world.mock.requests];
    expect(before).toMatch(/"v": ?2/);
    const ending = await world.start({ ...run, fate: 'accepted' }, Promise.resolve());
    expect(ending).toMatch(/refused|failed/);
    expect(world.mock.requests).toHaveLength(length);
    expect(await world.stored()).toBe(before);
    await world.close?.();
  },
);
