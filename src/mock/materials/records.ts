import type { Material } from '../../wire/types/media/materials.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError } from '../http/response.ts';
import { hash } from '../random.ts';
import type { MaterialState } from '../state.ts';
import { invalidMaterialRequest } from './create.ts';
import { lifetimeMs, statusOf } from './store.ts';

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
