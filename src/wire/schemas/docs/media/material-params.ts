// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type { MaterialCreateFields, RealPerson } from '../../../types/media/material-params.ts';
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
