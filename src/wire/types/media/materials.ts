import { arrayField, optionalString, responseSchema, stringField } from '../schema.ts';
import type { OpenString } from '../schema.ts';

/** URI of an available material. Use it as the `url` of a media item in the `content` of a video request. */
export type AssetUri = `asset://${string}`;

/** Media type of a material. */
export type MaterialType = 'image' | 'video' | 'audio';

/**
 * Status of a material. `verification_failed`, `verification_expired` and `failed` are terminal failure states.
 * `deleted` appears only in the response to a delete.
 */
export type MaterialStatus = OpenString<
  | 'creating'
  | 'verification_pending'
  | 'verification_failed'
  | 'verification_expired'
  | 'processing'
  | 'available'
  | 'failed'
  | 'delete_pending'
  | 'deleted'
>;

/** Media in the material library, visible only to the owner of the API key. */
export interface Material {
  /** Material id, with the prefix `mat_`. */
  id: string;
  /** Record type. */
  object: 'material';
  /** Display name. */
  name: string;
  /** Media type. */
  type: OpenString<MaterialType>;
  /** Current status. */
  status: MaterialStatus;
  /** URI to use in video requests; null unless the material is available. */
  uri: AssetUri | null;
  /** Short-lived preview URL; null if there is none. */
  preview_url: string | null;
  /**
   * URL of the page where the real person completes the liveness verification. Present only in the create response (or
   * an idempotent replay of it), and only with `real_person`. Secret and temporary: pass it to that person and never
   * log it.
   */
  verification_url?: string | undefined;
  /** Expiry time of `verification_url` (ISO 8601). Present only with `verification_url`. */
  verification_expires_at?: string | undefined;
  /** Creation time (ISO 8601, UTC). */
  created_at: string | null;
  /** Time at which the material became available (ISO 8601, UTC); null until then. */
  available_at: string | null;
  /** Expiry time (ISO 8601, UTC): two hours after the material became available; null until then. */
  expires_at: string | null;
}

/** An available material, ready for use in video requests. */
export interface AvailableMaterial extends Material {
  /** Current status. */
  status: 'available';
  /** URI to use in video requests. */
  uri: AssetUri;
}

/** One page of the material list, as sent by the service. */
export interface MaterialPageRecord {
  /** Record type. */
  object: 'material.list';
  /** Materials on this page. Failed, deleted and expired materials are not listed. */
  data: Material[];
  /** Whether there are more pages. */
  has_more: boolean;
  /** Cursor of the next page, to be passed unchanged as `after`; null or absent on the last page. */
  next_cursor?: string | null | undefined;
}

/** Whether a material can be used in video requests: its status is `available` and it has a URI. */
export function isAvailable(material: Material): material is AvailableMaterial {
  return material.status === 'available' && (material.uri ?? '').startsWith('asset://');
}

export const materialSchema = /* @__PURE__ */ responseSchema<Material>({
  id: stringField,
  status: stringField,
  uri: optionalString<AssetUri>(),
});

export const materialPageSchema = /* @__PURE__ */ responseSchema<MaterialPageRecord>({
  data: arrayField(materialSchema),
  next_cursor: optionalString(),
});
