import type { DiagnosisCheck } from 'polygate/doctor';
import { expect, test } from 'vitest';

import { incompleteResult } from '../../../src/tools/cli/doctor/command.ts';
import { skippedLines } from '../../../src/tools/cli/doctor/progress.ts';

const check = (id: string, detail: string, more: Partial<DiagnosisCheck> = {}): DiagnosisCheck => ({
  id,
  title: `The ${id}`,
  status: 'skipped',
  detail,
  ...more,
});
const costly = (id: string) => check(id, `${id} costs 1 USD`, { skipReason: 'too-expensive' });
const minor = (id: string) => check(id, `${id} is never tested`, { assumption: 'A1' });
const unpaid = 'They cost money and were not run.';
const untested = 'They were not tested. --verbose says why.';

test.each<[string, DiagnosisCheck[], maxSpendUsd: number | undefined, string[][]]>([
  [
    'one reason',
    [check('a', 'No key'), minor('b'), check('c', 'No key')],
    undefined,
    [
      ['2 checks', 'No key'],
      ['The b', 'b is never tested'],
    ],
  ],
  [
    'a free run',
    [minor('a'), minor('b'), costly('chat'), check('replay', 'No image')],
    undefined,
    [
      ['2 checks', untested],
      ['2 checks', unpaid],
    ],
  ],
  [
    'a run with a limit',
    [costly('chat'), costly('stream'), check('download', 'No result')],
    1,
    [
      ['The chat', 'chat costs 1 USD'],
      ['The stream', 'stream costs 1 USD'],
      ['The download', 'No result'],
    ],
  ],
  [
    'a service that cannot be reached, which assumptions share',
    [check('a', 'Away'), check('b', 'Away', { assumption: 'A2' }), check('chat', 'Away')],
    undefined,
    [['3 checks', 'Away']],
  ],
  [
    'assumptions with advice',
    [check('a', 'Unclear', { assumption: 'A1', advice: 'Set it' }), minor('b'), minor('c')],
    undefined,
    [
      ['The a', 'Unclear'],
      ['2 checks', untested],
    ],
  ],
])('checks that were skipped share a line per reason: %s', (_, skipped, maxSpendUsd, lines) => {
  const shown = skippedLines(skipped, maxSpendUsd);
  expect(shown.map(({ title, detail }) => [title, detail])).toEqual(lines);
});

test.each([
  [['models'], 0, undefined],
  [['models', 'chat'], 0, 0.1],
  [['models', 'chat', 'stream'], 0.04, 0.06],
  [['models', 'chat', 'stream'], 0.1, undefined],
] as const)(
  'after %j, of which %d USD were reported, lost responses may have cost %j USD',
  (ids, spentUsd, unconfirmedUsd) => {
    const started = ids.map((id) => ({ id }));
    const result = incompleteResult({ started, spentUsd, maxSpendUsd: 0.1 });
    expect(result.ok).toBe(false);
    if (unconfirmedUsd === undefined) expect(result).not.toHaveProperty('unconfirmedUsd');
    else expect(result.unconfirmedUsd).toBe(unconfirmedUsd);
  },
);
