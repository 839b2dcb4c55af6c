import { GatewayError, invalidParameter } from '../http/response/gateway-error.ts';

/** Returns an integer within the bounds, or throws an error that names the field. */
export function integerBetween(
  value: number | undefined,
  field: string,
  min: number,
  max: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidParameter(`\`${field}\` must be an integer from ${min} to ${max}`);
}

/** Returns a number within the bounds, or throws an error that names the field. */
export function numberBetween(
  value: number | undefined,
  field: string,
  min: number,
  max: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (value >= min && value <= max) return value;
  throw invalidParameter(`\`${field}\` must be a number from ${min} to ${max}`);
}

/** Returns a non-empty string, or throws an error that names the field. */
export function requiredText(value: string | undefined, field: string): string {
  if (value !== undefined && value !== '') return value;
  throw invalidParameter(`\`${field}\` is required`);
}

/**
 * Rejects anything but an HTTP(S) or data URL. Material URIs have their own error code: only
 * video models accept them.
 */
export function checkSourceUrl(url: string, field: string): void {
  if (/^asset:\/\//i.test(url)) {
    const message = `\`${field}\` is a material URI, which this model does not accept`;
    throw new GatewayError(400, 'material_channel_unavailable', message);
  }
  if (URL.canParse(url) && /^(https?:\/\/|data:)/i.test(url)) return;
  throw invalidParameter(`\`${field}\` must be an HTTP(S) or data URL`);
}
