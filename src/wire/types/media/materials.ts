import { arrayField, optionalString, responseSchema, stringField } from '../schema.ts';
import type { OpenString } from '../schema.ts';
import { parseURL, isRecord } from '../type-guards.ts';
import type { FieldProblem } from '../type-guards.ts';

/** Declares that the media shows a real person, who consents and completes a liveness verification. */
export interface RealPerson {
  /** Confirms the consent of the person. Must be true. */
  consent_confirmed: true;
  /**
   * URL that the browser is redirected to after the verification, with the query parameters `material_id` and
   * `material_status`; see `parseMaterialCallback`. HTTPS in production. Never log it.
   * @format uri
   */
  callback_url: string;
}

/** Fields of a material create request. */
export interface MaterialCreateFields {
  /**
   * Public HTTP(S) URL of the media file. It must be reachable without login, cookies, custom headers or
   * private-network access, and stay reachable until the material has reached a terminal status.
   * @format uri
   */
  url: string;
  /** Media type of the file. */
  type: MaterialType;
  /** Display name. */
  name?: string | undefined;
  /** Required for an image or video of a real person. Real-person audio is not supported. */
  real_person?: RealPerson | undefined;
}

/** Create request for an image or video material. */
export interface VisualMaterialCreateParams extends MaterialCreateFields {
  /** Media type of the file. */
  type: 'image' | 'video';
}

/** Create request for an audio material. */
export interface AudioMaterialCreateParams extends MaterialCreateFields {
  /** Media type of the file. */
  type: 'audio';
  /** Not supported for audio. */
  real_person?: undefined;
}

/** Material create parameters, sent unchanged. */
export type MaterialCreateParams = VisualMaterialCreateParams | AudioMaterialCreateParams;

/** Query parameters of the material list. */
export interface MaterialListQuery {
  /** Return only materials of this type. */
  type?: OpenString<MaterialType> | undefined;
  /** Return only materials with this status. */
  status?:
    | OpenString<
        'creating' | 'verification_pending' | 'processing' | 'available' | 'delete_pending'
      >
    | undefined;
  /**
   * Number of materials per page, 1 to 100.
   * @defaultValue 50
   */
  limit?: number | undefined;
  /** Cursor of the page: the unchanged `next_cursor` of the previous page. */
  after?: string | undefined;
}

/** Checks material create params and returns the first problem, or undefined. The message never quotes a URL. */
export function materialCreateParamsProblem({
  url,
  type,
  name = '',
  real_person: person,
}: Record<string, unknown>): FieldProblem | undefined {
  if (!isHttpUrl(url)) return ['url', 'must be an http or https URL'];
  if (type !== 'image' && type !== 'video' && type !== 'audio') {
    return ['type', 'must be image, video or audio'];
  }
  if (typeof name !== 'string') return ['name', 'must be a string'];
  if (person === undefined) return undefined;
  if (type === 'audio') return ['real_person', 'is not supported for audio'];
  if (!isRecord(person)) return ['real_person', 'must be an object'];
  if (person.consent_confirmed !== true) return ['real_person.consent_confirmed', 'must be true'];
  if (!isHttpUrl(person.callback_url)) {
    return ['real_person.callback_url', 'must be an http or https URL'];
  }
  return undefined;
}

/** Checks a material list query and returns the problem, or undefined. */
export function materialListQueryProblem(query: unknown): FieldProblem | undefined {
  if (!isRecord(query)) return ['query', 'must be an object'];
  const { limit = 1 } = query;
  const isValid =
    typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 100;
  return isValid ? undefined : ['limit', 'must be an integer from 1 to 100'];
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && parseURL(value) !== undefined;
}

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
  /**
   * Material id, with the prefix `mat_`.
   * @pattern ^mat_
   */
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
  /**
   * Short-lived preview URL; null if there is none.
   * @format uri
   */
  preview_url: string | null;
  /**
   * URL of the page where the real person completes the liveness verification. Present only in the create response (or
   * an idempotent replay of it), and only with `real_person`. Secret and temporary: pass it to that person and never
   * log it.
   * @format uri
   */
  verification_url?: string | undefined;
  /**
   * Expiry time of `verification_url` (ISO 8601). Present only with `verification_url`.
   * @format date-time
   */
  verification_expires_at?: string | undefined;
  /**
   * Creation time (ISO 8601, UTC).
   * @format date-time
   */
  created_at: string | null;
  /**
   * Time at which the material became available (ISO 8601, UTC); null until then.
   * @format date-time
   */
  available_at: string | null;
  /**
   * Expiry time (ISO 8601, UTC): two hours after the material became available; null until then.
   * @format date-time
   */
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

export const materialSchema = /* @__PURE__ */ responseSchema<Material>({
  id: stringField,
  status: stringField,
  uri: optionalString<AssetUri>(),
});

export const materialPageSchema = /* @__PURE__ */ responseSchema<MaterialPageRecord>({
  data: arrayField(materialSchema),
  next_cursor: optionalString(),
});
