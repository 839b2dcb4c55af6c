import { parseURL } from '../parse-url.ts';
import type { OpenString } from '../schema.ts';
import { isRecord } from '../type-guards.ts';
import type { MaterialType } from './materials.ts';

/** Declares that the media shows a real person, who consents and completes a liveness verification. */
export interface RealPerson {
  /** Confirms the consent of the person. Must be true. */
  consent_confirmed: true;
  /**
   * URL that the browser is redirected to after the verification, with the query parameters `material_id` and
   * `material_status`; see `parseMaterialCallback`. HTTPS in production. Never log it.
   */
  callback_url: string;
}

/** Fields of a material create request. */
export interface MaterialCreateFields {
  /**
   * Public HTTP(S) URL of the media file. It must be reachable without login, cookies, custom headers or
   * private-network access, and stay reachable until the material has reached a terminal status.
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
}: Record<string, unknown>): string | undefined {
  if (!isHttpUrl(url)) return 'url: must be an http or https URL';
  if (type !== 'image' && type !== 'video' && type !== 'audio') {
    return 'type: must be image, video or audio';
  }
  if (typeof name !== 'string') return 'name: must be a string';
  if (person === undefined) return undefined;
  if (type === 'audio') return 'real_person: is not supported for audio';
  if (!isRecord(person)) return 'real_person: must be an object';
  if (person.consent_confirmed !== true) return 'real_person.consent_confirmed: must be true';
  if (!isHttpUrl(person.callback_url)) {
    return 'real_person.callback_url: must be an http or https URL';
  }
  return undefined;
}

/** Checks a material list query and returns the problem, or undefined. */
export function materialListQueryProblem(query: unknown): string | undefined {
  if (!isRecord(query)) return 'query: must be an object';
  const { limit = 1 } = query;
  const isValid =
    typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 100;
  return isValid ? undefined : 'limit: must be an integer from 1 to 100';
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && parseURL(value) !== undefined;
}
