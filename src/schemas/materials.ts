import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import { arrayField, optionalString, responseSchema, stringField } from './schema.ts';
import type { Open } from './schema.ts';

/**
 * Names an available material; it may stand as the `url` of a structured media item of a video
 * request.
 */
export type AssetUri = `asset://${string}`;

/** What a material is. Specification: Material. */
export type MaterialType = 'image' | 'video' | 'audio';

/**
 * Where a material stands. `verification_failed`, `verification_expired` and `failed` are final;
 * `deleted` appears in the answer to a delete alone. Specification: Material status.
 */
export type MaterialStatus = Open<
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

/** Media in the material library; its owner alone sees it. Specification: Material. */
export interface Material {
  /** Id of the material, `mat_…`. */
  id: string;
  /** Kind of record. */
  object: 'material';
  /** Name of the material, for people. */
  name: string;
  /** What the material is. */
  type: Open<MaterialType>;
  /** Where the material stands. */
  status: MaterialStatus;
  /** What a video request names it by; null unless the material is available. */
  uri: AssetUri | null;
  /** URL of a preview, which soon stops working; null without one. */
  preview_url: string | null;
  /**
   * Where the real person proves to be present; in the answer to a create alone, and only with
   * `real_person`. It is secret and temporary: hand it to that person and never log it.
   */
  verification_url?: string | undefined;
  /** When `verification_url` stops working, ISO 8601; only together with it. */
  verification_expires_at?: string | undefined;
  /** When the material was created, ISO 8601, UTC. */
  created_at: string | null;
  /** When the material became available, ISO 8601, UTC; null until then. */
  available_at: string | null;
  /**
   * When the material goes away, two hours after it became available, ISO 8601, UTC; null until
   * then.
   */
  expires_at: string | null;
}

/** A material that video requests can use. Specification: Material. */
export interface AvailableMaterial extends Material {
  /** Where the material stands. */
  status: 'available';
  /** What a video request names it by. */
  uri: AssetUri;
}

/** One page of the library, as the service sends it. Specification: Material list. */
export interface MaterialPageRecord {
  /** Kind of record. */
  object: 'material.list';
  /** The materials of this page. Failed, deleted and expired ones are left out. */
  data: Material[];
  /** Whether there is a page after this one. */
  has_more: boolean;
  /**
   * Where the next page begins, to be passed on unchanged as `after`; null or absent at the end.
   */
  next_cursor?: string | null | undefined;
}

/** Whether video requests can use a material: it is available and has its URI. */
export function isAvailable(material: Material): material is AvailableMaterial {
  return material.status === 'available' && (material.uri ?? '').startsWith('asset://');
}

export const materialRecord = /* @__PURE__ */ (() =>
  recordSchema<Material>({
    id: z.string(),
    object: z.literal('material'),
    name: z.string(),
    type: openString<MaterialType>(),
    status: openString<'creating'>(),
    uri: z.nullable(z.templateLiteral(['asset://', z.string()])),
    preview_url: z.nullable(z.string()),
    verification_url: z.optional(z.string()),
    verification_expires_at: z.optional(z.string()),
    created_at: z.nullable(z.string()),
    available_at: z.nullable(z.string()),
    expires_at: z.nullable(z.string()),
  }))();

export const materialSchema = /* @__PURE__ */ responseSchema<Material>({
  id: stringField,
  status: stringField,
  uri: optionalString<AssetUri>(),
});

export const materialPageRecord = /* @__PURE__ */ (() =>
  recordSchema<MaterialPageRecord>({
    object: z.literal('material.list'),
    data: z.array(materialRecord),
    has_more: z.boolean(),
    next_cursor: z.nullish(z.string()),
  }))();

export const materialPageSchema = /* @__PURE__ */ responseSchema<MaterialPageRecord>({
  data: arrayField(materialSchema),
  next_cursor: optionalString(),
});
