import * as shapes from '../../wire/generated/index.ts';
import { materialCreateBody } from '../../wire/schemas/bodies.ts';
import { defineEndpoint, defineJsonEndpoint, param, documented } from '../http/endpoint.ts';
import type { RequestContext, TagDocs } from '../http/endpoint.ts';
import { GatewayError, json, bodyResponse } from '../http/response.ts';
import type { MockResponse } from '../http/response.ts';
import {
  invalidMaterialRequest,
  createMaterial,
  looseMaterialBody,
  createdMaterialRecord,
  listMaterials,
  toMaterialRecord,
  listedStatuses,
  materialTypes,
} from '../materials/requests.ts';
import { statusOf } from '../materials/store.ts';
import { escapeXml, page } from '../page.ts';
import type { MaterialState } from '../state.ts';

/** Specification: Materials; Material; Material list; Codes. */
const materialsDocs: TagDocs = {
  tag: {
    name: 'Materials',
    description:
      'Library of reusable media for video requests. Each material has an `asset://` URI and is available for two hours.',
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

/** Specification: Materials. */
export const materialRoutes = documented(materialsDocs, [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/materials',
    summary: 'Create a material',
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
      404: ['material_not_found'],
      409: ['material_idempotency_conflict'],
      503: [
        'service_unavailable',
        'material_channel_unavailable',
        'material_create_outcome_uncertain',
        'visual_verification_create_outcome_uncertain',
      ],
    },
    body: looseMaterialBody,
    documentedBody: materialCreateBody,
    toError: invalidMaterialRequest,
    responseSchema: shapes.material,
    status: 202,
    errors: [400, 401, 403, 404, 409, 413, 503],
    handle: (context, body) => {
      const { material, replayed } = createMaterial(context, body);
      const headers = replayed ? { 'x-svc-idempotent-replay': 'true' } : undefined;
      return json(202, createdMaterialRecord(context, material), headers);
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/materials',
    summary: 'List materials',
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
    toError: invalidMaterialRequest,
    responseSchema: shapes.materialPageRecord,
    errors: [400, 401, 403],
    handle: (context) => json(200, listMaterials(context)),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/materials/{material_id}',
    summary: 'Retrieve a material',
    id: 'getMaterial',
    description:
      'Returns a material. Poll it every 3 to 5 seconds until its status is `available` or indicates a failure. Deleted and expired materials, and materials of other users, return 404.',
    responses: { 200: ['The current state of the material.'] },
    errorCodes: { 404: ['material_not_found'] },
    responseSchema: shapes.material,
    errors: [401, 403, 404],
    handle: (context) => {
      const material = find(context);
      if (statusOf(material, context.now) === 'deleted') throw notFound();
      return json(200, toMaterialRecord(context, material));
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/materials/{material_id}',
    summary: 'Delete a material',
    id: 'deleteMaterial',
    description:
      'Deletes a material and cancels a pending verification. Deleting a material again is not an error.',
    responses: {
      200: ['The material is deleted.'],
      202: ['The material is being deleted.'],
    },
    errorCodes: { 404: ['material_not_found'] },
    responseSchema: shapes.material,
    errors: [401, 403, 404],
    handle: (context) => {
      const material = find(context);
      context.services.materials.delete(material, context.now);
      const record = toMaterialRecord(context, material);
      return json(record.status === 'deleted' ? 200 : 202, record);
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/verify/{token}',
    summary: 'Verify a real person; `?outcome=failed` fails the verification',
    auth: 'none',
    hidden: true,
    handle: verify,
  }),
]);

/** Finds the caller's material, or throws a 404. An expired material counts as not found. */
function find(context: RequestContext): MaterialState {
  const material = context.services.materials.byId(param(context, 'material_id'));
  if (material?.user !== context.user || statusOf(material, context.now) === 'expired') {
    throw notFound();
  }
  return material;
}

function notFound(): GatewayError {
  return new GatewayError(404, 'material_not_found', 'The material does not exist');
}

/** The verification URL is secret: it is not cached and not sent to the callback as a referrer. */
const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The statuses that a callback may receive. Specification: Events. */
const callbackStatus = /^(creating|processing|available|verification_\w+)$/;

/**
 * Handles a request to a verification URL. A browser gets a page that offers both outcomes. A request
 * with an `outcome`, or from another program such as a test, is immediately redirected to the
 * callback; verification succeeds unless the outcome is `failed`. Specification: Events.
 */
function verify(context: RequestContext): MockResponse {
  const { materials } = context.services;
  const material = materials.byToken(param(context, 'token'));
  const status = material === undefined ? 'expired' : statusOf(material, context.now);
  const outcome = context.query.get('outcome');
  const isBrowser = context.headers.get('accept')?.includes('text/html') === true;
  if (material?.verification === undefined || !callbackStatus.test(status)) {
    if (isBrowser) return html(404, verificationEndedPage());
    throw new GatewayError(404, 'material_not_found', 'This verification has ended');
  }
  if (status === 'verification_pending') {
    if (isBrowser && outcome === null) return html(200, verificationPage(material));
    if (outcome === 'failed') materials.failVerification(material);
    else materials.startProcessing(material, context.now);
  }
  const location = callbackLocation(material, material.verification.callbackUrl, context.now);
  return bodyResponse(302, 'text/plain; charset=utf-8', '', { ...privateHeaders, location });
}

/** Returns the callback URL with exactly the two documented query parameters. */
function callbackLocation(material: MaterialState, url: string, now: number): string {
  const target = new URL(url);
  const status = statusOf(material, now);
  const query = new URLSearchParams({ material_id: material.id, material_status: status });
  target.search = query.toString();
  return target.href;
}

function html(status: number, body: string): MockResponse {
  return bodyResponse(status, 'text/html; charset=utf-8', body, privateHeaders);
}

const style = `
body { max-width: 34rem; padding-top: 12vh }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0 }
button { font: inherit; font-weight: 600; padding: 0.625rem 1.25rem; border-radius: 0.5rem; cursor: pointer;
  border: 1px solid var(--accent); color: var(--accent); background: none }
button:first-child { background: var(--accent); color: var(--on-accent) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 1rem 0 0 }
dt { color: var(--soft) }
dd { margin: 0 }
`;

/** Renders the page on which a person completes or fails a verification. */
function verificationPage({ name, type, verification }: MaterialState): string {
  const expires = new Date(verification?.expiresAt ?? 0).toISOString();
  return page(
    'Identity verification',
    style,
    `<main>
<h1>Identity verification</h1>
<p>On a real service, this page performs a liveness check. On the reference gateway, you choose the result.</p>
<dl>
<dt>Material</dt><dd>${escapeXml(name.slice(0, 200))}</dd>
<dt>Type</dt><dd>${type}</dd>
<dt>Valid until</dt><dd><time datetime="${expires}">${expires.slice(0, 16).replace('T', ' ')} UTC</time></dd>
</dl>
<form>
<button name="outcome" value="succeeded">Complete verification</button>
<button name="outcome" value="failed">Fail verification</button>
</form>
<p class="soft">Either button returns you to the app that sent you here.</p>
</main>`,
  );
}

/** Renders the page for a verification link that is no longer valid. */
function verificationEndedPage(): string {
  return page(
    'Verification ended',
    style,
    `<main>
<h1>This verification has ended</h1>
<p>The material has failed, expired or been deleted, or the link is wrong. Start again in the app that sent you here.</p>
</main>`,
  );
}
