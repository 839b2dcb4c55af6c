import { GatewayError, invalidParameter } from '../http/response/gateway-error.ts';

/** A whole number between two bounds, or a refusal that names the field. */
export function integerBetween(
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

/**
 * Refuses what is not the address of a file on the web. Data URLs are files too; materials are for
 * video only.
 */
export function checkSourceUrl(url: string, field: string): void {
  if (/^asset:\/\//i.test(url)) {
    const message = `\`${field}\` is a material, and this model takes none`;
    throw new GatewayError(400, 'material_channel_unavailable', message);
  }
  if (URL.canParse(url) && /^(https?:\/\/|data:)/i.test(url)) return;
  throw invalidParameter(`\`${field}\` must be an HTTP or HTTPS URL`);
}
