// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type { Material, MaterialPageRecord } from '../../../types/media/materials.ts';
import type { Docs } from '../../record-schema.ts';

export const material: Docs<Material> = {
  fields: {
    id: 'Material id, with the prefix `mat_`.',
    object: 'Record type.',
    name: 'Display name.',
    type: 'Media type.',
    status: 'Current status.',
    uri: 'URI to use in video requests; null unless the material is available.',
    preview_url: 'Short-lived preview URL; null if there is none.',
    verification_url:
      'URL of the page where the real person completes the liveness verification. Present only in the create response (or an idempotent replay of it), and only with `real_person`. Secret and temporary: pass it to that person and never log it.',
    verification_expires_at:
      'Expiry time of `verification_url` (ISO 8601). Present only with `verification_url`.',
    created_at: 'Creation time (ISO 8601, UTC).',
    available_at: 'Time at which the material became available (ISO 8601, UTC); null until then.',
    expires_at:
      'Expiry time (ISO 8601, UTC): two hours after the material became available; null until then.',
  },
};

export const materialPageRecord: Docs<MaterialPageRecord> = {
  fields: {
    object: 'Record type.',
    data: 'Materials on this page. Failed, deleted and expired materials are not listed.',
    has_more: 'Whether there are more pages.',
    next_cursor:
      'Cursor of the next page, to be passed unchanged as `after`; null or absent on the last page.',
  },
};
