import { ConfigurationError } from '../errors/configuration.ts';
import { idempotencyKeyProblem } from '../schemas/idempotency-key.ts';
import { isRecord } from '../schemas/record.ts';
import { unchecked } from '../schemas/schema.ts';
import type { Receipt } from '../schemas/task.ts';
import { amount, check, nonEmpty } from './rules.ts';

/** Checks a receipt that comes from a file, a queue or a database. */
export function readReceipt(value: unknown): Receipt {
  if (!isRecord(value) || value.v !== 1 || typeof value.id !== 'string') {
    throw new ConfigurationError('receipt: must be the JSON of a task, with v: 1 and an id.');
  }
  const { v, kind, id, idempotencyKey, chargeUsd, submittedAt } = value;
  check('receipt: kind', kind ?? '', [isKind, 'image, video or audio']);
  check('receipt: id', id, nonEmpty);
  check('receipt: idempotencyKey', idempotencyKey, [isKey, '1 to 200 visible ASCII characters']);
  check('receipt: chargeUsd', chargeUsd, amount);
  check('receipt: submittedAt', submittedAt, [isDate, 'an ISO date']);
  return unchecked<Receipt>({ v, kind, id, idempotencyKey, chargeUsd, submittedAt });
}

const isKind = (value: unknown) => value === 'image' || value === 'video' || value === 'audio';
const isKey = (value: unknown) => idempotencyKeyProblem(value) === undefined;
const isDate = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
