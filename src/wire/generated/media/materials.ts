// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, paramsSchema, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { Material, MaterialCreateFields, MaterialPageRecord, RealPerson } from '../../types/media/materials.ts';

const realPerson: Schema<RealPerson> = paramsSchema({
  consent_confirmed: ["Confirms the consent of the person. Must be true.", z.literal(true)],
  callback_url: ["URL that the browser is redirected to after the verification, with the query parameters `material_id` and `material_status`; see `parseMaterialCallback`. HTTPS in production. Never log it.", z.string()],
});

export const materialCreateFields: Schema<MaterialCreateFields> = paramsSchema({
  url: ["Public HTTP(S) URL of the media file. It must be reachable without login, cookies, custom headers or private-network access, and stay reachable until the material has reached a terminal status.", z.string()],
  type: ["Media type of the file.", z.enum(["image","video","audio"])],
  name: ["Display name.", z.optional(z.string())],
  real_person: ["Required for an image or video of a real person. Real-person audio is not supported.", z.optional(realPerson)],
});

export const materialCreateFieldsKeywords = {
  "url": {
    "format": "uri"
  },
  "real_person.callback_url": {
    "format": "uri"
  }
} as const;

export const material: Schema<Material> = recordSchema({
  id: ["Material id, with the prefix `mat_`.", z.string()],
  object: ["Record type.", z.literal("material")],
  name: ["Display name.", z.string()],
  type: ["Media type.", openString("image", "video", "audio")],
  status: ["Current status.", openString("creating", "verification_pending", "verification_failed", "verification_expired", "processing", "available", "failed", "delete_pending", "deleted")],
  uri: ["URI to use in video requests; null unless the material is available.", z.nullable(z.templateLiteral(["asset://", z.string()]))],
  preview_url: ["Short-lived preview URL; null if there is none.", z.nullable(z.string())],
  verification_url: ["URL of the page where the real person completes the liveness verification. Present only in the create response (or an idempotent replay of it), and only with `real_person`. Secret and temporary: pass it to that person and never log it.", z.optional(z.string())],
  verification_expires_at: ["Expiry time of `verification_url` (ISO 8601). Present only with `verification_url`.", z.optional(z.string())],
  created_at: ["Creation time (ISO 8601, UTC).", z.nullable(z.string())],
  available_at: ["Time at which the material became available (ISO 8601, UTC); null until then.", z.nullable(z.string())],
  expires_at: ["Expiry time (ISO 8601, UTC): two hours after the material became available; null until then.", z.nullable(z.string())],
});

export const materialKeywords = {
  "id": {
    "pattern": "^mat_"
  },
  "preview_url": {
    "format": "uri"
  },
  "verification_url": {
    "format": "uri"
  },
  "verification_expires_at": {
    "format": "date-time"
  },
  "created_at": {
    "format": "date-time"
  },
  "available_at": {
    "format": "date-time"
  },
  "expires_at": {
    "format": "date-time"
  }
} as const;

export const materialPageRecord: Schema<MaterialPageRecord> = recordSchema({
  object: ["Record type.", z.literal("material.list")],
  data: ["Materials on this page. Failed, deleted and expired materials are not listed.", z.array(material)],
  has_more: ["Whether there are more pages.", z.boolean()],
  next_cursor: ["Cursor of the next page, to be passed unchanged as `after`; null or absent on the last page.", z.nullish(z.string())],
});
