import * as shapes from '../../../wire/generated/index.ts';
import { materialCreateBody } from '../../../wire/schemas/bodies.ts';
import { listedStatuses, materialTypes } from '../../materials/records.ts';
import type { TagDocs } from '../docs.ts';

const notFound = { 404: ['material_not_found'] };

/** Specification: Materials; Material; Material list; Codes. */
export const materialsDocs: TagDocs = {
  tag: {
    name: 'Materials',
    description:
      'Library of reusable media for video requests. Each material has an `asset://` URI and is available for two hours.',
  },
  operations: {
    'POST /v1/materials': {
      id: 'createMaterial',
      description:
        'Registers a public media file. A request with the same `Idempotency-Key` and body returns the existing material; to try again after a material has failed, use a new key. With `real_person`, the response contains a `verification_url` at which that person completes a liveness check. The browser is then redirected to `callback_url` with the query parameters `material_id` and `material_status`. Do not log either URL.',
      examples: {
        Image: { url: 'https://files.example/fox.png', type: 'image', name: 'A fox' },
        'Video of a real person': {
          url: 'https://files.example/ann.mp4',
          type: 'video',
          real_person: { consent_confirmed: true, callback_url: 'https://app.example/verified' },
        },
      },
      responses: {
        202: ['The new or existing material. It can be used once its status is `available`.'],
      },
      errorCodes: {
        400: [
          'invalid_material_request',
          'invalid_idempotency_key',
          'visual_verification_consent_required',
          'invalid_visual_verification_request',
        ],
        ...notFound,
        409: ['material_idempotency_conflict'],
        503: [
          'service_unavailable',
          'material_channel_unavailable',
          'material_create_outcome_uncertain',
          'visual_verification_create_outcome_uncertain',
        ],
      },
    },
    'GET /v1/materials': {
      id: 'listMaterials',
      description:
        'Lists materials, newest first. The list excludes failed, deleted and expired materials, and materials whose verification failed or expired.',
      query: {
        type: { description: 'Return only materials of this type.', enum: materialTypes },
        status: {
          description: 'Return only materials with this status.',
          enum: listedStatuses,
        },
        limit: {
          description: 'Page size.',
          type: 'integer',
          minimum: 1,
          maximum: 100,
          default: 50,
        },
        after: 'Cursor: the unchanged `next_cursor` of the previous page.',
      },
      responses: { 200: ['A page of materials.'] },
      errorCodes: { 400: ['invalid_material_request', 'invalid_material_cursor'] },
    },
    'GET /v1/materials/{material_id}': {
      id: 'getMaterial',
      description:
        'Returns a material. Poll it every 3 to 5 seconds until its status is `available` or indicates a failure. Deleted and expired materials, and materials of other users, return 404.',
      responses: { 200: ['The current state of the material.'] },
      errorCodes: notFound,
    },
    'DELETE /v1/materials/{material_id}': {
      id: 'deleteMaterial',
      description:
        'Deletes a material and cancels a pending verification. Deleting a material again is not an error.',
      responses: {
        200: ['The material is deleted.'],
        202: ['The material is being deleted.'],
      },
      errorCodes: notFound,
    },
  },
  schemas: {
    MaterialRequest: {
      schema: materialCreateBody,
      description: 'Parameters of a new material.',
      keywords: shapes.materialCreateFieldsKeywords,
    },
    Material: {
      schema: shapes.material,
      description:
        "A media file in the library of the key's owner. The record never contains the source URL.",
      example: {
        id: 'mat_1',
        object: 'material',
        name: 'A fox',
        type: 'image',
        status: 'available',
        uri: 'asset://0a1b2c3d',
        preview_url: 'https://files.example/preview.png',
        created_at: '2026-08-01T09:00:00.000Z',
        available_at: '2026-08-01T09:00:05.000Z',
        expires_at: '2026-08-01T11:00:05.000Z',
      },
      keywords: shapes.materialKeywords,
      closed: ['type', 'status'],
    },
    MaterialList: {
      schema: shapes.materialPageRecord,
      description: 'A page of materials.',
    },
  },
};
