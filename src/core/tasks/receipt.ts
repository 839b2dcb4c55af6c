import { isRecord } from '../../schemas/record.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { Receipt } from '../../schemas/task.ts';
import {
  nonNegativeNumber,
  checkValue,
  idempotencyKeyRule,
  oneOf,
  stringValue,
} from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';

/** The fields of a receipt. Whether its id can stand in a path is seen when it does. */
const fields: Readonly<Record<keyof Receipt, Rule>> = {
  v: [(value) => value === 1, '1, as in the JSON of a task'],
  kind: oneOf('image', 'video', 'audio'),
  id: stringValue,
  idempotencyKey: idempotencyKeyRule,
  chargeUsd: nonNegativeNumber,
  submittedAt: [
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    'an ISO date',
  ],
};

/** Checks a receipt that comes from a file, a queue or a database. */
export function parseReceipt(value: unknown): Receipt {
  // What may not be missing is null instead, which fits no rule.
  const { v = null, kind = null, id = null, ...rest } = isRecord(value) ? value : {};
  const receipt: Record<string, unknown> = { ...rest, v, kind, id };
  const known = Object.entries(fields).map(([name, rule]) => {
    checkValue(`receipt: ${name}`, receipt[name], rule);
    return [name, receipt[name]];
  });
  return unchecked<Receipt>(Object.fromEntries(known));
}
