import { invalidParameter } from '../http/response/gateway-error.ts';

/** A whole number between two bounds, or a refusal that names the field. */
export function wholeNumber(
  value: number | undefined,
  field: string,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidParameter(`\`${field}\` must be a whole number from ${least} to ${most}`);
}

/** A number between two bounds, or a refusal that names the field. */
export function numberBetween(
  value: number | undefined,
  field: string,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (value >= least && value <= most) return value;
  throw invalidParameter(`\`${field}\` must be a number from ${least} to ${most}`);
}

/** A text that is there and not empty, or a refusal that names the field. */
export function requiredText(value: string | undefined, field: string): string {
  if (value !== undefined && value !== '') return value;
  throw invalidParameter(`\`${field}\` is required`);
}
