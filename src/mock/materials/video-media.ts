import { isRecord } from '../../wire/types/type-guards.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter, GatewayError } from '../http/response/gateway-error.ts';
import { checkSourceUrl } from '../tasks/field-checks.ts';
import { statusOf } from './store.ts';

/** The request fields that contain media URLs, with the media type of each. */
const mediaFields = new Map([
  ['image', 'image'],
  ['last_image', 'image'],
  ['images', 'image'],
  ['video', 'video'],
]);

/** The parts of a content item that contain a media URL, with the media type of each. */
const mediaParts = { image_url: 'image', video_url: 'video', audio_url: 'audio' } as const;

/**
 * Checks every media URL of a video request, and rejects `asset://` URIs in text fields. In a
 * generation request, material errors have status 400. Specification: Video generation; Codes.
 */
export function checkVideoMedia(context: RequestContext, body: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(body)) {
    if (field === 'content' && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        checkItem(context, item, `content[${index}]`);
      });
    } else if (mediaFields.has(field)) {
      checkUrls(context, value, field, mediaFields.get(field));
    } else {
      rejectAssetUris(value, field);
    }
  }
}

function checkUrls(
  context: RequestContext,
  value: unknown,
  field: string,
  type: string | undefined,
): void {
  if (typeof value === 'string') checkUrl(context, value, field, type);
  if (!Array.isArray(value)) return;
  value.forEach((url: unknown, index) => {
    checkUrls(context, url, `${field}[${index}]`, type);
  });
}

function checkItem(context: RequestContext, item: unknown, field: string): void {
  if (!isRecord(item)) return;
  for (const [name, type] of Object.entries(mediaParts)) {
    if (item.type !== name && item[name] === undefined) continue;
    const part = item[name];
    const url = isRecord(part) ? part.url : undefined;
    if (typeof url !== 'string') throw invalidParameter(`\`${field}.${name}.url\` is required`);
    checkUrl(context, url, `${field}.${name}.url`, type);
  }
  if (item.type === 'text' && typeof item.text !== 'string') {
    throw invalidParameter(`\`${field}.text\` is required`);
  }
  for (const [name, value] of Object.entries(item)) {
    if (!Object.hasOwn(mediaParts, name)) rejectAssetUris(value, `${field}.${name}`);
  }
}

function checkUrl(
  context: RequestContext,
  url: string,
  field: string,
  type: string | undefined,
): void {
  if (!/^asset:\/\//i.test(url)) {
    checkSourceUrl(url, field);
    return;
  }
  const material = context.services.materials.byUri(context.user, url);
  if (material === undefined) {
    throw new GatewayError(
      400,
      'material_not_managed',
      `\`${field}\` refers to a material that is not in your library`,
    );
  }
  if (statusOf(material, context.now) !== 'available') {
    throw new GatewayError(
      400,
      'material_not_available',
      `\`${field}\` refers to a material that is not available`,
    );
  }
  if (type !== undefined && type !== material.type) {
    throw invalidParameter(
      `\`${field}\` requires a material of type ${type}; this one is of type ${material.type}`,
    );
  }
}

/** Rejects a material URI in any string inside a value. */
function rejectAssetUris(value: unknown, field: string): void {
  if (typeof value === 'string' && /asset:\/\//i.test(value)) {
    throw invalidParameter(`\`${field}\` must not contain an asset:// URI`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) rejectAssetUris(inner, `${field}.${name}`);
}
