import * as z from 'zod/mini';

import type { MaterialType } from './materials.ts';
import { notAnObjectProblem } from './param-checks.ts';
import { isRecord } from './record.ts';
import { bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/**
 * That the media shows a real person, who agrees and will prove it. Specification: Materials,
 * Create body.
 */
export interface RealPerson {
  /** That the person agrees; nothing but true is accepted. */
  consent_confirmed: true;
  /**
   * Where the browser goes after the verification, with `material_id` and `material_status` in its
   * query; HTTPS in production. Never log it.
   */
  callback_url: string;
}

/** The fields of a new material. Specification: Materials, Create body. */
export interface MaterialCreateFields {
  /**
   * Public HTTP(S) URL of the file: reachable without login, cookies, headers of its own or a
   * private network, until the material is final.
   */
  url: string;
  /** What the file is. */
  type: MaterialType;
  /** Name of the material, for people. */
  name?: string | undefined;
  /** Required for an image or a video of a real person; real-person audio is not supported. */
  real_person?: RealPerson | undefined;
}

/** A new image or video. */
export interface VisualMaterialCreateParams extends MaterialCreateFields {
  /** What the file is. */
  type: 'image' | 'video';
}

/** A new sound. */
export interface AudioMaterialCreateParams extends MaterialCreateFields {
  /** What the file is. */
  type: 'audio';
  /** Not supported for audio. */
  real_person?: undefined;
}

/**
 * Which file to add to the library. Sent exactly as given. Specification: Materials, Create body.
 */
export type MaterialCreateParams = VisualMaterialCreateParams | AudioMaterialCreateParams;

/** Which materials to list. Specification: Materials, List query parameters. */
export interface MaterialListQuery {
  /** Only materials of this type. */
  type?: Open<MaterialType> | undefined;
  /** Only materials that stand here. */
  status?:
    | Open<'creating' | 'verification_pending' | 'processing' | 'available' | 'delete_pending'>
    | undefined;
  /**
   * Materials a page, 1 to 100.
   * @defaultValue 50
   */
  limit?: number | undefined;
  /** Where the page begins: `next_cursor` of the page before, unchanged. */
  after?: string | undefined;
}

export const materialCreateBody = /* @__PURE__ */ (() =>
  bodySchema<MaterialCreateFields>({
    url: z.string(),
    type: z.enum(['image', 'video', 'audio']),
    name: z.optional(z.string()),
    real_person: z.optional(
      bodySchema<RealPerson>({ consent_confirmed: z.literal(true), callback_url: z.string() }),
    ),
  }))();

/**
 * What is wrong with a new material, or undefined; the first field that breaks a rule is named, and
 * no URL is quoted.
 * Specification: Materials, Create body and Source URL rules.
 */
export function materialCreateParamsProblem(params: unknown): string | undefined {
  if (!isRecord(params)) return notAnObjectProblem;
  const { url, type, name, real_person: person } = params;
  if (!isHttpUrl(url)) return 'url: must be an http or https URL';
  if (type !== 'image' && type !== 'video' && type !== 'audio') {
    return 'type: must be image, video or audio';
  }
  if (name !== undefined && typeof name !== 'string') return 'name: must be a string';
  if (person === undefined) return undefined;
  if (type === 'audio') return 'real_person: is not supported for audio';
  if (!isRecord(person)) return 'real_person: must be an object';
  if (person.consent_confirmed !== true) return 'real_person.consent_confirmed: must be true';
  if (!isHttpUrl(person.callback_url)) {
    return 'real_person.callback_url: must be an http or https URL';
  }
  return undefined;
}

/**
 * What is wrong with a list query, or undefined. Specification: Materials, List query parameters.
 */
export function materialListQueryProblem(query: unknown): string | undefined {
  if (query === undefined) return undefined;
  if (!isRecord(query)) return notAnObjectProblem;
  const { limit } = query;
  if (limit === undefined) return undefined;
  const fits = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 100;
  return fits ? undefined : 'limit: must be a whole number from 1 to 100';
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}
