import { materialCreateParamsSchema } from '../../../schemas/material-params.ts';
import { materialPageRecord, materialRecord } from '../../../schemas/materials.ts';
import type { TagDocs } from '../docs.ts';

const types = ['image', 'video', 'audio'];
const time = { format: 'date-time' };
const notFound = { 404: ['material_not_found'] };

/** Specification: Materials; Material; Material list; Codes. */
export const materialsDocs: TagDocs = {
  tag: {
    name: 'Materials',
    description:
      'A library of public files that video requests name by an `asset://` URI, for two hours each.',
  },
  operations: {
    'POST /v1/materials': {
      id: 'createMaterial',
      description:
        'Sent again with the same `Idempotency-Key` and body, the request gives back the same material; a failed one needs a new key. With `real_person` the answer holds `verification_url`, where that person has to prove to be present; afterwards the browser goes to `callback_url` with the query parameters `material_id` and `material_status`. Never log either URL.',
      examples: {
        'A picture': { url: 'https://files.example/fox.png', type: 'image', name: 'A fox' },
        'A video of a real person': {
          url: 'https://files.example/ann.mp4',
          type: 'video',
          real_person: { consent_confirmed: true, callback_url: 'https://app.example/verified' },
        },
      },
      responses: { 202: ['The material, new or replayed; nothing can use it yet.'] },
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
        'The newest first. Failed, deleted and expired materials, and those whose verification failed or expired, are left out.',
      query: {
        type: { description: 'Only materials of this type.', enum: types },
        status: {
          description: 'Only materials that stand here.',
          enum: ['creating', 'verification_pending', 'processing', 'available', 'delete_pending'],
        },
        limit: {
          description: 'Materials a page.',
          type: 'integer',
          minimum: 1,
          maximum: 100,
          default: 50,
        },
        after: 'Where the page begins: `next_cursor` of the page before, unchanged.',
      },
      responses: { 200: ['A page of materials.'] },
      errorCodes: { 400: ['invalid_material_request', 'invalid_material_cursor'] },
    },
    'GET /v1/materials/{material_id}': {
      id: 'getMaterial',
      description:
        'Asked for every 3 to 5 seconds until the material is `available` or has failed. Materials of other users, deleted and expired ones are as good as unknown.',
      responses: { 200: ['The material as of now.'] },
      errorCodes: notFound,
    },
    'DELETE /v1/materials/{material_id}': {
      id: 'deleteMaterial',
      description: 'Deleting again is no error. A pending verification is cancelled.',
      responses: {
        200: ['The material is deleted.'],
        202: ['The material is being deleted.'],
      },
      errorCodes: notFound,
    },
  },
  schemas: {
    MaterialRequest: {
      schema: materialCreateParamsSchema,
      description: 'Which file to add to the library.',
      fields: {
        url: {
          description:
            'HTTP(S) URL of the file: reachable without login, cookies, own headers or a private network until the material is final.',
          format: 'uri',
        },
        type: 'What the file is.',
        name: 'Name of the material, for people.',
        real_person: 'Required for images and videos of a real person; not supported for audio.',
        'real_person.consent_confirmed': 'That the person agrees.',
        'real_person.callback_url': {
          description: 'Where the browser goes after the verification; HTTPS in production.',
          format: 'uri',
        },
      },
    },
    Material: {
      schema: materialRecord,
      description:
        "Media in the library of the key's user. The URL that it came from is never told.",
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
      fields: {
        id: { description: 'Id of the material.', pattern: '^mat_' },
        object: 'Kind of record.',
        name: 'Name of the material, for people.',
        type: { description: 'What the material is.', enum: types },
        status: {
          description:
            'Where the material stands. `verification_failed`, `verification_expired` and `failed` are final; `deleted` appears in the answer to a delete alone.',
          enum: [
            'creating',
            'verification_pending',
            'verification_failed',
            'verification_expired',
            'processing',
            'available',
            'failed',
            'delete_pending',
            'deleted',
          ],
        },
        uri: 'What a video request names it by; null unless it is `available`.',
        preview_url: { description: 'URL of a preview, for a short while.', format: 'uri' },
        verification_url: {
          description:
            'Where the real person proves to be present; secret and temporary. In the answer to a create alone.',
          format: 'uri',
        },
        verification_expires_at: {
          description: 'When `verification_url` stops working; only together with it.',
          ...time,
        },
        created_at: { description: 'When it was created, UTC.', ...time },
        available_at: { description: 'When it became available, UTC; null until then.', ...time },
        expires_at: {
          description: 'When it goes away, two hours later, UTC; null until it is available.',
          ...time,
        },
      },
    },
    MaterialList: {
      schema: materialPageRecord,
      description: 'A page of the library.',
      fields: {
        object: 'Kind of record.',
        data: 'The materials of this page.',
        has_more: 'Whether there is a page after this one.',
        next_cursor: 'Where the next page begins; null or absent at the end.',
      },
    },
  },
};
