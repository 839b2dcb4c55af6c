/** Each assumption has one finding: which one, given the earlier findings. */
import type { DiagnosisCheck } from 'polygate/doctor';
import { describe, expect, test } from 'vitest';

import {
  findingOfEarlyEnd,
  findingToAdd,
  findingsOfOpenAssumptions,
} from '../../../src/tools/doctor/run/findings.ts';
import type { CheckSubject } from '../../../src/tools/doctor/run/findings.ts';

/** A check with a main assumption, one about an aspect, and one that a later check has a finding about. */
const check: CheckSubject = {
  id: 'chat',
  title: 'Chat',
  assumptions: [
    { id: 'A8', ifOpen: 'Not tested.' },
    { id: 'A11', aspect: 'replay', ifOpen: 'Not sent.' },
    { id: 'A2', aspect: 'image', ifOpen: { later: true } },
  ],
};

const finding = (id: string, assumption?: DiagnosisCheck['assumption']): DiagnosisCheck => ({
  id,
  title: '',
  status: 'ok',
  detail: '',
  assumption,
});

const aboutA8 = finding('chat', 'A8');
const aboutA11 = finding('chat.replay', 'A11');
const aboutA2 = finding('poll-paths.image', 'A2');
const aboutItself = finding('chat');

/** The id and the assumption of a finding that is added. */
const brief = ({ id, assumption }: DiagnosisCheck) => (assumption ? `${id} ${assumption}` : id);

describe('a finding of a check', () => {
  test.each([
    ['A8', 'ok', [], 'chat A8'],
    ['A8', 'skipped', [aboutA11], 'chat A8'],
    ['A11', 'ok', [aboutA8], 'chat.replay A11'],
    // Another finding about the assumption, which agrees.
    ['A2', 'ok', [aboutA2], undefined],
    ['A2', 'skipped', [aboutA2], undefined],
    // It contradicts.
    ['A2', 'warning', [aboutA2], 'chat.image'],
    ['A2', 'failed', [aboutA2], 'chat.image'],
    // It is about no assumption.
    [undefined, 'ok', [aboutA8], 'chat'],
  ] as const)('about %s that is %s', (assumption, status, earlier, expected) => {
    const added = findingToAdd(check, { assumption, status, detail: '' }, earlier);
    expect(added && brief(added)).toBe(expected);
  });

  test('about an aspect has its title', () => {
    const added = findingToAdd(check, { assumption: 'A11', status: 'ok', detail: '' }, []);
    expect(added?.title).toBe('Idempotent replay of chat');
  });
});

describe('the reason why a check has ended early is', () => {
  test.each([
    ['about its main assumption', check, [], 'chat A8'],
    ['about its main assumption, even after others', check, [aboutA11], 'chat A8'],
    ['an error, if that has a finding', check, [aboutA8], 'chat.error'],
    ['about the check, if it has no main assumption', { id: 'chat', title: '' }, [], 'chat'],
    ['an error, if that has a finding', { id: 'chat', title: '' }, [aboutItself], 'chat.error'],
  ])('%s', (_, subject, earlier, expected) => {
    const reason = { status: 'failed', detail: 'It is down.' } as const;
    const added = findingOfEarlyEnd(subject, reason, earlier);
    expect([brief(added), added.status]).toEqual([expected, 'failed']);
  });
});

describe('of the assumptions that a check leaves open', () => {
  const open = (earlier: DiagnosisCheck[], reason?: { detail: string }) =>
    findingsOfOpenAssumptions(check, reason, earlier).map(
      (added) => `${brief(added)} ${added.status}: ${added.detail}`,
    );

  test('each has a finding, unless a later check has it', () => {
    expect(open([])).toEqual([
      'chat A8 skipped: Not tested.',
      'chat.replay A11 skipped: Not sent.',
    ]);
  });

  test('those with a finding have no other', () => {
    expect(open([aboutA11])).toEqual(['chat A8 skipped: Not tested.']);
    expect(open([aboutA8, aboutA11])).toEqual([]);
  });

  test('all have the reason why the check has ended early', () => {
    expect(open([aboutA8], { detail: 'It is down.' })).toEqual([
      'chat.replay A11 skipped: It is down.',
    ]);
  });
});
