import { omitUndefined, unchecked } from '../../schemas/schema.ts';
import type { Receipt } from '../../schemas/task.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import {
  checkValue,
  idempotencyKeyRule,
  nonNegativeNumber,
  oneOf,
  stringValue,
} from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';

/** The fields of a receipt. Whether the id is safe in a URL path is checked where the path is built. */
const fieldRules: Readonly<Record<keyof Receipt, Rule>> = {
  v: [(value) => value === 1, '1, the only supported version'],
  kind: oneOf('image', 'video', 'audio'),
  id: stringValue,
  idempotencyKey: idempotencyKeyRule,
  chargeUsd: nonNegativeNumber,
  submittedAt: [
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    'an ISO 8601 date',
  ],
};

/**
 * Validates a receipt that was read from a file, a queue or a database.
 *
 * @throws {@link ConfigurationError} that names the invalid field.
 */
export function parseReceipt(value: unknown): Receipt {
  // A missing required field becomes null, which no rule accepts.
  const fields: Record<string, unknown> = {
    v: null,
    kind: null,
    id: null,
    ...(isRecord(value) && omitUndefined(value)),
  };
  const receipt: Record<string, unknown> = {};
  // No other fields: a task must not poll a path, or send headers, that a file names.
  for (const [name, rule] of Object.entries(fieldRules)) {
    checkValue(`receipt: ${name}`, fields[name], rule);
    receipt[name] = fields[name];
  }
  return unchecked<Receipt>(receipt);
}
