import { ConfigurationError } from '../../errors/base.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { Receipt } from '../../wire/types/tasks/task.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { checkValue, idempotencyKeyRule, oneOf, stringValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';

/** The fields of a receipt. Whether the id is safe in a URL path is checked where the path is built. */
const fieldRules: Readonly<Record<keyof Receipt, Rule>> = {
  v: [(value) => value === 1, '1, the only supported version'],
  kind: oneOf('image', 'video', 'audio'),
  id: stringValue,
  model: stringValue,
  idempotencyKey: idempotencyKeyRule,
  // JSON has null instead of NaN and Infinity. An invalid charge must not make the task unreachable.
  chargeUsd: [(value) => typeof value === 'number' || value === null, 'an amount in USD'],
  submittedAt: [
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    'an ISO 8601 date',
  ],
};

/**
 * Validates a receipt that was read from a file, a queue or a database, or its JSON text.
 *
 * @throws {@link ConfigurationError} that names the invalid field.
 */
export function parseReceipt(given: unknown): Receipt {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isRecord(value)) {
    throw new ConfigurationError(
      'receipt: must be what JSON.stringify(task) or task.toJSON() returned. For a task id, use a namespace: gateway.images.task(id).',
    );
  }
  // A missing required field becomes null, which no rule accepts.
  const fields: Record<string, unknown> = {
    v: null,
    kind: null,
    id: null,
    ...omitUndefined(value),
  };
  const receipt: Record<string, unknown> = {};
  // No other fields: a task must not poll a path, or send headers, that a file names.
  for (const [name, rule] of Object.entries(fieldRules)) {
    checkValue(`receipt: ${name}`, fields[name], rule);
    receipt[name] = fields[name];
  }
  const { chargeUsd } = fields;
  const isValidCharge = typeof chargeUsd === 'number' && chargeUsd >= 0 && chargeUsd < Infinity;
  if (!isValidCharge) delete receipt.chargeUsd;
  return unchecked<Receipt>(receipt);
}
