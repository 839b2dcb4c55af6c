import * as z from 'zod/mini';

import type { Material } from '../../wire/types/media/materials.ts';
import { fingerprint, materialKey, remember } from '../account/idempotency.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError } from '../http/response.ts';
import { hash } from '../random.ts';
import type { MaterialState, Verification } from '../state.ts';
import { statusOf, lifetimeMs } from './store.ts';

/** Schema of a create body. `real_person` is checked separately because it has its own error codes. */
export const looseMaterialBody = z.looseObject({
  url: z.string(),
  type: z.enum(['image', 'video', 'audio']),
  name: z.optional(z.string()),
  real_person: z.optional(z.looseObject({})),
});

type MaterialBody = z.infer<typeof looseMaterialBody>;

/** Creates a 400 with the code `invalid_material_request`. */
export function invalidMaterialRequest(message: string): GatewayError {
  return new GatewayError(400, 'invalid_material_request', message);
}

/**
 * Creates a material, or returns the one that was created with the same key. Specification:
 * Materials.
 */
export function createMaterial(
  context: RequestContext,
  body: MaterialBody,
): { material: MaterialState; replayed: boolean } {
  const { materials } = context.services;
  const scope = `material ${materialKey(context)}`;
  const earlier = context.user.idempotencyRecords.get(scope);
  if (earlier === undefined) {
    const material = newMaterial(context, body);
    materials.add(material);
    const record = { fingerprint: fingerprint(body), resourceId: material.id, chargeUsd: 0 };
    remember(context, scope, record);
    return { material, replayed: false };
  }
  if (earlier.fingerprint !== fingerprint(body)) {
    const message = 'This Idempotency-Key was already used for a different request';
    throw new GatewayError(409, 'material_idempotency_conflict', message);
  }
  const material = materials.byId(earlier.resourceId ?? '');
  const status = material === undefined ? 'deleted' : statusOf(material, context.now);
  if (material === undefined || status === 'deleted' || status === 'expired') {
    const message = 'The material created with this Idempotency-Key no longer exists';
    throw new GatewayError(404, 'material_not_found', message);
  }
  return { material, replayed: true };
}

function newMaterial(context: RequestContext, body: MaterialBody): MaterialState {
  const { makeId, materials } = context.services;
  checkMaterialUrl(context, body.url);
  const verification = startVerification(context, body);
  const material: MaterialState = {
    id: makeId('mat_'),
    user: context.user,
    name: body.name ?? nameFrom(body.url, body.type),
    type: body.type,
    uri: `asset://${makeId('')}`,
    sourceUrl: body.url,
    createdAt: context.now,
    number: materials.count + 1,
    outcome: materials.outcomeFor(body.url),
    verification,
    processingAt: undefined,
    processedAt: undefined,
    verificationFailed: false,
    deletedAt: undefined,
  };
  if (verification === undefined) materials.startProcessing(material, context.now);
  return material;
}

/**
 * Rejects a source URL that is not public. The gateway's own files are accepted wherever it runs.
 * Specification: Source URL rules.
 */
function checkMaterialUrl(context: RequestContext, text: string): void {
  const url = parseWebUrl(text);
  if (url === undefined) {
    throw invalidMaterialRequest('`url` must be an HTTP or HTTPS URL without credentials');
  }
  if (url.origin !== context.origin && isPrivateHost(url.hostname)) {
    throw invalidMaterialRequest('`url` must be reachable from the public internet');
  }
}

function startVerification(context: RequestContext, body: MaterialBody): Verification | undefined {
  const person = body.real_person;
  if (person === undefined) return undefined;
  const invalid = (message: string): GatewayError =>
    new GatewayError(400, 'invalid_visual_verification_request', message);
  if (body.type === 'audio') throw invalid('`real_person` is supported only for images and videos');
  if (person.consent_confirmed !== true) {
    const message = '`real_person.consent_confirmed` must be true';
    throw new GatewayError(400, 'visual_verification_consent_required', message);
  }
  const callbackUrl = person.callback_url;
  const callback = typeof callbackUrl === 'string' ? parseWebUrl(callbackUrl) : undefined;
  const secure = callback?.protocol === 'https:' || isPrivateHost(callback?.hostname ?? '');
  if (typeof callbackUrl !== 'string' || callback === undefined || !secure) {
    throw invalid(
      '`real_person.callback_url` must be an HTTPS URL; HTTP is allowed only for private hosts such as localhost',
    );
  }
  const { services, now } = context;
  const expiresAt = now + services.assumptions.A22 * 60 * 1000;
  return { token: services.makeId('verify_'), callbackUrl, expiresAt };
}

/** Parses an HTTP or HTTPS URL without credentials. */
function parseWebUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username + url.password === '' ? url : undefined;
}

/** Names that public DNS never resolves. */
const privateName = /(^|\.)(localhost|local|internal)$/;

/** Whether a host name, as `URL` normalizes it, is in a private network. */
function isPrivateHost(host: string): boolean {
  if (privateName.test(host.replace(/\.$/, ''))) return true;
  if (host.startsWith('[')) return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:)/i.test(host);
  const parts = host.split('.').map(Number);
  if (parts.length !== 4 || !parts.every(Number.isInteger)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 100) return second >= 64 && second <= 127;
  if (first === 172) return second >= 16 && second <= 31;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** Returns the file name in the URL. No other part of the URL ever appears in a response. */
function nameFrom(url: string, type: string): string {
  return new URL(url).pathname.split('/').at(-1) || type;
}

/** The statuses that lists include and that the `status` filter accepts. Specification: Materials. */
export const listedStatuses = [
  'creating',
  'verification_pending',
  'processing',
  'available',
  'delete_pending',
];

/** The material types. */
export const materialTypes = ['image', 'video', 'audio'];

/** Returns one page of the caller's materials, newest first. */
export function listMaterials(context: RequestContext): Record<string, unknown> {
  const type = oneOf(context.query, 'type', materialTypes);
  const status = oneOf(context.query, 'status', listedStatuses);
  const limit = pageSize(context.query.get('limit'));
  const before = parseCursor(context, context.query.get('after'));
  const matches = context.services.materials
    .ownedBy(context.user)
    .filter((material) => material.number < before)
    .filter((material) => type === undefined || material.type === type)
    .filter((material) => {
      const current: string = statusOf(material, context.now);
      return status === undefined ? listedStatuses.includes(current) : current === status;
    });
  const page = matches.slice(0, limit);
  const last = page.at(-1);
  const hasMore = matches.length > page.length && last !== undefined;
  const data: Material[] = page.map((material) => toMaterialRecord(context, material));
  return {
    object: 'material.list',
    data,
    has_more: hasMore,
    ...nextCursor(context, hasMore ? last.number : undefined),
  };
}

function nextCursor(
  context: RequestContext,
  number: number | undefined,
): { next_cursor?: string | null } {
  if (number !== undefined) return { next_cursor: cursor(context, number) };
  return context.services.assumptions.A21 === 'absent' ? {} : { next_cursor: null };
}

function oneOf(query: URLSearchParams, name: string, values: string[]): string | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (values.includes(value)) return value;
  throw invalidMaterialRequest(`\`${name}\` must be one of ${values.join(', ')}`);
}

function pageSize(text: string | null): number {
  if (text === null) return 50;
  const size = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= 100) return size;
  throw invalidMaterialRequest('`limit` must be an integer from 1 to 100');
}

/** Creates an opaque cursor. The checksum ties it to its user and reveals altered cursors. */
function cursor(context: RequestContext, number: number): string {
  const checksum = hash(
    `${context.services.settings.seed} ${context.user.name} ${number}`,
  ).toString(36);
  return `cur_${number.toString(36)}_${checksum}`;
}

function parseCursor(context: RequestContext, text: string | null): number {
  if (text === null) return Infinity;
  const [, digits = ''] = /^cur_([0-9a-z]{1,8})_[0-9a-z]+$/.exec(text) ?? [];
  const number = Number.parseInt(digits, 36);
  if (digits !== '' && cursor(context, number) === text) return number;
  throw new GatewayError(
    400,
    'invalid_material_cursor',
    '`after` must be the unchanged `next_cursor` of the previous page',
  );
}

/** Lifetime of a preview link. */
const previewLifetimeMs = 10 * 60 * 1000;

/**
 * Creates the documented record, without the source URL, verification and internal ids.
 * Specification: Material.
 */
export function toMaterialRecord(context: RequestContext, material: MaterialState): Material {
  const status = statusOf(material, context.now);
  const { processedAt } = material;
  const available = status === 'available' && processedAt !== undefined;
  const previewPath = `/previews/materials/${material.id}?expires=${context.now + previewLifetimeMs}`;
  return {
    id: material.id,
    object: 'material',
    name: material.name,
    type: material.type,
    status,
    uri: available ? material.uri : null,
    preview_url: available ? context.origin + previewPath : null,
    created_at: iso(material.createdAt),
    available_at: available ? iso(processedAt) : null,
    expires_at: available ? iso(processedAt + lifetimeMs) : null,
  };
}

/** Creates the record in a create response; it adds the verification URL while verification is pending. */
export function createdMaterialRecord(context: RequestContext, material: MaterialState): Material {
  const record = toMaterialRecord(context, material);
  const { verification } = material;
  if (verification === undefined || record.status !== 'verification_pending') return record;
  return {
    ...record,
    verification_url: `${context.origin}/verify/${verification.token}`,
    verification_expires_at: iso(verification.expiresAt),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
