import { isRecord } from '../../schemas/record.ts';
import type { RequestContext } from '../http/request-context.ts';
import { statusOf } from './store.ts';
import { invalidParameter, GatewayError } from '../http/response/gateway-error.ts';
import { sourceUrl } from '../tasks/source-url.ts';

/** Fields that hold the address of a file, or several, and of which type. */
const mediaFields = new Map([
  ['image', 'image'],
  ['last_image', 'image'],
  ['images', 'image'],
  ['video', 'video'],
]);

/** Parts of a content item that hold the address of a file. */
const mediaParts = { image_url: 'image', video_url: 'video', audio_url: 'audio' } as const;

/**
 * Checks every address of a video request, and that `asset://` stands in no text. Specification:
 * Video generation; Codes. Material codes inside a generation are 400.
 */
export function checkVideoMedia(call: RequestContext, body: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(body)) {
    if (field === 'content' && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        checkItem(call, item, `content[${index}]`);
      });
    } else if (mediaFields.has(field)) {
      checkAddresses(call, value, field, mediaFields.get(field));
    } else {
      refuseAssets(value, field);
    }
  }
}

function checkAddresses(
  call: RequestContext,
  value: unknown,
  field: string,
  type: string | undefined,
): void {
  if (typeof value === 'string') checkAddress(call, value, field, type);
  if (!Array.isArray(value)) return;
  value.forEach((url: unknown, index) => {
    checkAddresses(call, url, `${field}[${index}]`, type);
  });
}

function checkItem(call: RequestContext, item: unknown, field: string): void {
  if (!isRecord(item)) return;
  for (const [name, type] of Object.entries(mediaParts)) {
    if (item.type !== name && item[name] === undefined) continue;
    const part = item[name];
    const url = isRecord(part) ? part.url : undefined;
    if (typeof url !== 'string') throw invalidParameter(`\`${field}.${name}.url\` is required`);
    checkAddress(call, url, `${field}.${name}.url`, type);
  }
  if (item.type === 'text' && typeof item.text !== 'string') {
    throw invalidParameter(`\`${field}.text\` is required`);
  }
  for (const [name, value] of Object.entries(item)) {
    if (!Object.hasOwn(mediaParts, name)) refuseAssets(value, `${field}.${name}`);
  }
}

function checkAddress(
  call: RequestContext,
  url: string,
  field: string,
  type: string | undefined,
): void {
  if (!/^asset:\/\//i.test(url)) {
    sourceUrl(url, field);
    return;
  }
  const material = call.services.materials.byUri(call.user, url);
  if (material === undefined) {
    throw new GatewayError(
      400,
      'material_not_managed',
      `\`${field}\` is not in your material library`,
    );
  }
  if (statusOf(material, call.now) !== 'available') {
    throw new GatewayError(
      400,
      'material_not_available',
      `The material in \`${field}\` is not available`,
    );
  }
  if (type !== undefined && type !== material.type) {
    throw invalidParameter(
      `\`${field}\` needs a material of type ${type}; this is ${material.type}`,
    );
  }
}

/** Refuses the URI of a material anywhere in a text. */
function refuseAssets(value: unknown, field: string): void {
  if (typeof value === 'string' && /asset:\/\//i.test(value)) {
    throw invalidParameter(`\`${field}\` must not contain an asset:// URI`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) refuseAssets(inner, `${field}.${name}`);
}
