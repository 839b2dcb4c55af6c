// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  Material,
  MaterialCreateFields,
  MaterialPageRecord,
  RealPerson,
} from '../../../types/media/materials.ts';
import type { Docs } from '../../record-schema.ts';

export const realPerson: Docs<RealPerson> = {
  fields: {
    consent_confirmed: 'Confirms the consent of the person. Must be true.',
    callback_url:
      'URL that the browser is redirected to after the verification, with the query parameters `material_id` and `material_status`; see `parseMaterialCallback`. HTTPS in production. Never log it.',
  },
};

export const materialCreateFields: Docs<MaterialCreateFields> = {
  fields: {
    url: 'Public HTTP(S) URL of the media file. It must be reachable without login, cookies, custom headers or private-network access, and stay reachable until the material has reached a terminal status.',
    type: 'Media type of the file.',
    name: 'Display name.',
    real_person:
      'Required for an image or video of a real person. Real-person audio is not supported.',
  },
};

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
