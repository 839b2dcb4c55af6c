import { createMockGateway } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { Switchboard } from '../../playground/lab/switchboard.ts';
import { idle, phaseOf, totalOf, verdictOf } from '../../playground/src/plug/side-state.ts';
import type { SideState } from '../../playground/src/plug/side-state.ts';
import { tokenize } from '../../playground/src/ui/code/tokens.ts';

const charge = { usd: 0.4, model: 'tide-video', at: 0 };
const lost = { state: 'lost' } as const;
const sent = { state: 'sent' } as const;
const response = { state: 'response', status: 202 } as const;
const done = { isError: false, text: '' };

test.each<[string, SideState, string, string]>([
  ['nothing was sent', idle, 'idle', ''],
  ['the request travels', { attempts: [sent], charges: [] }, 'sending', ''],
  ['the gateway works', { attempts: [sent], charges: [charge] }, 'working', ''],
  ['the response was lost', { attempts: [lost], charges: [charge] }, 'unplugged', ''],
  [
    'a retry was charged',
    { attempts: [lost, response], charges: [charge, charge], end: done },
    'done',
    'paid twice',
  ],
  [
    'a retry was recognized',
    { attempts: [lost, response], charges: [charge], end: done },
    'done',
    'paid once',
  ],
  [
    'a chat was not sent again',
    { attempts: [lost], charges: [charge], end: { isError: true, text: '' } },
    'stopped',
    'paid once, and reported',
  ],
])('when %s, the first view says so', (_, state, phase, verdict) => {
  expect([phaseOf(state), verdictOf(state)]).toEqual([phase, verdict]);
  expect(totalOf(state)).toBeCloseTo(state.charges.length * 0.4);
});

test('a fault in every second attempt counts the attempts of each call', async () => {
  const mock = createMockGateway();
  expect(new Switchboard(mock).set('unavailable', 'often')).toBe(true);
  const submit = async (key: string) => {
    const { status } = await mock.fetch(`${mock.baseURL}/v1/images/tasks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mock.apiKey}`,
        'content-type': 'application/json',
        'x-idempotency-key': key,
      },
      body: JSON.stringify({ model: 'prism-image', prompt: 'A harbor' }),
    });
    return status;
  };
  expect([await submit('a'), await submit('b'), await submit('a'), await submit('b')]).toEqual([
    503, 503, 202, 202,
  ]);
});

describe('the colors of code', () => {
  test('keep every character', () => {
    const code = "// it's\nconst a = `b ${c}` + f('\\'d', 1_000); # not a comment\n";
    expect(
      tokenize(code)
        .map(({ text }) => text)
        .join(''),
    ).toBe(code);
  });

  test('distinguish comments, strings, keywords, numbers and calls', () => {
    const kinds = tokenize("await send('a', 5); // done").map(({ kind, text }) => [kind, text]);
    expect(kinds.filter(([kind]) => kind !== 'plain')).toEqual([
      ['keyword', 'await'],
      ['call', 'send'],
      ['string', "'a'"],
      ['number', '5'],
      ['comment', '// done'],
    ]);
  });
});
