import type { Material } from '../../wire/types/media/materials.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { MaterialState } from '../state.ts';
import { lifetimeMs, statusOf } from './store.ts';

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
