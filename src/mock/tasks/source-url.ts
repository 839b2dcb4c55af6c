import { invalidParameter, GatewayError } from '../http/response/gateway-error.ts';

/**
 * Refuses what is not the address of a file on the web. Data URLs are files too; materials are for
 * video only.
 */
export function sourceUrl(url: string, field: string): void {
  if (/^asset:\/\//i.test(url)) {
    const message = `\`${field}\` is a material, and this model takes none`;
    throw new GatewayError(400, 'material_channel_unavailable', message);
  }
  if (URL.canParse(url) && /^(https?:\/\/|data:)/i.test(url)) return;
  throw invalidParameter(`\`${field}\` must be an HTTP or HTTPS URL`);
}
