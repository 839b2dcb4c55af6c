import {
  AbortedError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  StreamTruncatedError,
  TaskFailedError,
} from 'polygate';
import type { TaskHandle } from 'polygate';
import { expect, test } from 'vitest';

import { forPrograms } from '../../../src/client/batch/budget-decisions.ts';
import { lostChatError } from '../../../src/client/batch/row-errors.ts';
import type { MessagePart } from '../../../src/errors/base.ts';
import { createError } from '../../../src/errors/message.ts';
import { MissingPackageError, UsageError } from '../../../src/tools/cli/arguments.ts';
import {
  describeFailure,
  earlierRequestAdvice,
  exitCodeOf,
} from '../../../src/tools/cli/failure.ts';
import type { FailureContext } from '../../../src/tools/cli/failure.ts';

/** The description of a failure as it is printed. */
const textOf = (error: unknown, context: FailureContext) =>
  describeFailure(error, context)
    .map((line) => `${line}\n`)
    .join('');

const task: TaskHandle = {
  id: 'task_1',
  kind: 'image',
  wait: () => Promise.reject(new Error()),
  updates: () => {
    throw new Error();
  },
  retrieve: () => Promise.reject(new Error()),
  toJSON: () => ({ v: 1, kind: 'image', id: 'task_1' }),
};

const full = Object.assign(new Error('no space left on device'), {
  code: 'ENOSPC',
  syscall: 'write',
});

test.each<[error: Error, context: Partial<FailureContext>, code: number, text: string]>([
  [new UsageError('x'), {}, 2, 'Nothing was charged.'],
  [new ConfigurationError('x'), {}, 2, 'Nothing was charged.'],
  [new ConfigurationError('x'), { sent: 'unknown' }, 2, 'Nothing was charged.'],
  [
    new ConnectionError('x', { outcome: 'not-sent' }),
    { sent: 'unknown' },
    1,
    'Nothing was charged.',
  ],
  [new ConnectionError('x', { outcome: 'unknown' }), { sent: 'unknown' }, 3, 'It may have been'],
  [new AbortedError('x', { outcome: 'unknown' }), { sent: 'unknown' }, 3, 'It may have been'],
  [new StreamTruncatedError('x'), { sent: 'unknown' }, 3, 'It may have been charged.'],
  [new TaskFailedError('x', { task }), { sent: 'accepted' }, 1, 'The failed task may have been'],
  [new ConnectionError('x', { outcome: 'unknown', task }), { sent: 'unknown' }, 3, 'The task may'],
  [new ConfigurationError('x', { task }), { sent: 'accepted' }, 3, 'The task may have been'],
  [full, { sent: 'accepted', chargeUsd: 0.02 }, 3, 'The task was charged $0.02.'],
  [full, { sent: 'unknown' }, 3, 'It may have been charged.'],
  [full, {}, 2, 'Nothing was charged.'],
  [new TypeError('x'), {}, 1, 'Nothing was charged.'],
])('%s with %j exits with %d and says what was charged', (error, known, code, text) => {
  const context: FailureContext = { command: 'polygate image', isPaid: true, ...known };
  expect(exitCodeOf(error, context)).toBe(code);
  expect(textOf(error, context)).toContain(`\n${text}`);
});

test('a failure names the key and the command that continues, and commands that are free say nothing about money', () => {
  const error = new ConnectionError('lost', { outcome: 'unknown' });
  const next = 'polygate task wait k1';
  const paid = {
    command: 'polygate image',
    isPaid: true,
    sent: 'unknown',
    idempotencyKey: 'k1',
    next,
  };
  expect(textOf(error, { ...paid, sent: 'unknown' })).toBe(
    'polygate image: lost\nIt may have been charged.\nIdempotency key: k1\nTo continue: polygate task wait k1\n',
  );
  const free = { command: 'polygate models', isPaid: false };
  expect([textOf(error, free), exitCodeOf(error, free)]).toEqual(['polygate models: lost\n', 1]);
});

test('a package that is missing is a short sentence, and the command that installs it on a line of its own', () => {
  const error = new MissingPackageError('@scope/server', new Error('not found'));
  const context: FailureContext = { command: 'polygate mcp', isPaid: false };
  expect(exitCodeOf(error, context)).toBe(2);
  expect(textOf(error, context)).toBe(
    'polygate mcp: @scope/server is not installed.\nInstall it next to polygate:\n' +
      '  npm install @scope/server\n',
  );
});

test('a message of the client that says what was charged is not repeated', () => {
  const parts = { summary: 'lost.', charge: 'Nothing was charged.' };
  const error = createError(ConnectionError, parts, { outcome: 'not-sent' });
  const context: FailureContext = { command: 'c', isPaid: true, sent: 'unknown' };
  expect(textOf(error, context)).toBe('c: lost. Nothing was charged.\n');
  const charge = 'The request may have been charged; sending it again may charge you again.';
  const lost = createError(ConnectionError, { ...parts, charge }, { outcome: 'unknown' });
  expect(textOf(lost, context)).toBe(`c: lost. ${charge}\n`);
  const repeated = { ...context, isRepeated: true };
  expect(textOf(error, repeated)).toContain('\nIt may have been charged.\n');
});

test('a message says once that nothing was sent or charged', () => {
  const context: FailureContext = { command: 'c', isPaid: true };
  const parts = { summary: 'Another process uses it.', charge: 'Nothing was sent.' };
  const busy = createError(ConfigurationError, parts, {});
  for (const hasEarlierCharges of [true, false]) {
    const text = textOf(busy, { ...context, hasEarlierCharges });
    expect(text).toBe('c: Another process uses it. Nothing was sent.\n');
  }
});

test('a command that continues earlier ones does not say that nothing was charged', () => {
  const context: FailureContext = { command: 'c', isPaid: true, hasEarlierCharges: true };
  expect(textOf(new UsageError('x'), context)).toBe('c: x (see --help)\nNothing was sent.\n');
  expect(exitCodeOf(new UsageError('x'), context)).toBe(2);
  const lost = new ConnectionError('lost', { outcome: 'unknown' });
  expect(textOf(lost, { ...context, sent: 'unknown' })).toBe(
    'c: lost\nIt may have been charged.\n',
  );
});

test('advice for programs is left out', () => {
  const context: FailureContext = { command: 'c', isPaid: true, sent: 'accepted', chargeUsd: 0.02 };
  const request = 'GET /v1/x';
  const lost = createError(
    ConnectionError,
    { summary: 'lost.', charge: 'It may have been charged.', programAdvice: 'Retry.', request },
    { outcome: 'unknown' },
  );
  expect(textOf(lost, { ...context, sent: 'unknown' })).toBe(
    'c: lost. It may have been charged. [GET /v1/x]\n',
  );
  const waiting = createError(
    ConnectionError,
    { summary: 'lost.', programAdvice: 'Wait.', request },
    { task },
  );
  expect(textOf(waiting, context)).toContain('c: lost. [GET /v1/x]\n');
});

test('what is known about an earlier request and a refund takes precedence', () => {
  const context: FailureContext = { command: 'c', isPaid: true, sent: 'unknown', isRepeated: true };
  const error = new ConfigurationError('x');
  expect(textOf(error, context)).toBe('c: x\nIt may have been charged.\n');
  expect(exitCodeOf(error, context)).toBe(3);
  const copy = createError(
    ConfigurationError,
    { summary: 'x', charge: earlierRequestAdvice },
    { outcome: 'unknown' },
  );
  expect(textOf(copy, context)).toBe(`c: x ${earlierRequestAdvice}\n`);
  const refund = 'It was refunded.';
  expect(textOf(new TaskFailedError('x', { task }), { ...context, refund })).toContain(
    'The failed task may have been charged. It was refunded.',
  );
});

test('options are named as those of the command, except in what a service wrote', () => {
  const context: FailureContext = { command: 'c', isPaid: false };
  const known = { outcome: 'not-sent', spentUsd: 1, maxUsd: 1 } as const;
  const summary: MessagePart = ({ amounts, option } = forPrograms) =>
    `Over ${option('maxUsd')}: ${amounts(0.9, 1)} spent.`;
  const advice: MessagePart = ({ limit, again } = forPrograms) => `Raise ${limit}, then ${again}.`;
  const budget = createError(BudgetExceededError, { summary, advice }, known);
  expect(budget.message).toBe(
    'Over maxUsd: 0.9 of 1 USD spent. Raise the budget, then run it again with the same journal.',
  );
  expect(textOf(budget, context)).toBe(
    'c: Over --max-usd: $0.90 of $1.00 spent. Raise --max-usd, then run the same command again.\n',
  );
  expect(textOf(lostChatError('a'), context)).toContain('With --resend-unknown, it');
  const failed = new TaskFailedError('Task task_1 failed: maxUsd and resendUnknown.', { task });
  expect(textOf(failed, context)).toContain('failed: maxUsd and resendUnknown.');
});
