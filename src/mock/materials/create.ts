import * as z from 'zod/mini';

import { fingerprint, materialKey, remember } from '../account/idempotency.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError } from '../http/response.ts';
import type { MaterialState, Verification } from '../state.ts';
import { statusOf } from './store.ts';

/** Schema of a create body. `real_person` is checked separately because it has its own error codes. */
export const looseMaterialBody = z.looseObject({
  url: z.string(),
  type: z.enum(['image', 'video', 'audio']),
  name: z.optional(z.string()),
  real_person: z.optional(z.looseObject({})),
});

export type MaterialBody = z.infer<typeof looseMaterialBody>;

/** Creates a 400 with the code `invalid_material_request`. */
export function invalidMaterialRequest(message: string): GatewayError {
  return new GatewayError(400, 'invalid_material_request', message);
}

/**
 * Creates a material, or returns the one that was created with the same key. Specification:
 * Materials.
 */
export function createMaterial(
  context: RequestContext,
  body: MaterialBody,
): { material: MaterialState; replayed: boolean } {
  const { materials } = context.services;
  const scope = `material ${materialKey(context)}`;
  const earlier = context.user.idempotencyRecords.get(scope);
  if (earlier === undefined) {
    const material = newMaterial(context, body);
    materials.add(material);
    const record = { fingerprint: fingerprint(body), resourceId: material.id, chargeUsd: 0 };
    remember(context, scope, record);
    return { material, replayed: false };
  }
  if (earlier.fingerprint !== fingerprint(body)) {
    const message = 'This Idempotency-Key was already used for a different request';
    throw new GatewayError(409, 'material_idempotency_conflict', message);
  }
  const material = materials.byId(earlier.resourceId ?? '');
  const status = material === undefined ? 'deleted' : statusOf(material, context.now);
  if (material === undefined || status === 'deleted' || status === 'expired') {
    const message = 'The material created with this Idempotency-Key no longer exists';
    throw new GatewayError(404, 'material_not_found', message);
  }
  return { material, replayed: true };
}

function newMaterial(context: RequestContext, body: MaterialBody): MaterialState {
  const { makeId, materials } = context.services;
  checkMaterialUrl(context, body.url);
  const verification = startVerification(context, body);
  const material: MaterialState = {
    id: makeId('mat_'),
    user: context.user,
    name: body.name ?? nameFrom(body.url, body.type),
    type: body.type,
    uri: `asset://${makeId('')}`,
    sourceUrl: body.url,
    createdAt: context.now,
    number: materials.count + 1,
    outcome: materials.outcomeFor(body.url),
    verification,
    processingAt: undefined,
    processedAt: undefined,
    verificationFailed: false,
    deletedAt: undefined,
  };
  if (verification === undefined) materials.startProcessing(material, context.now);
  return material;
}

/**
 * Rejects a source URL that is not public. The gateway's own files are accepted wherever it runs.
 * Specification: Source URL rules.
 */
function checkMaterialUrl(context: RequestContext, text: string): void {
  const url = parseWebUrl(text);
  if (url === undefined) {
    throw invalidMaterialRequest('`url` must be an HTTP or HTTPS URL without credentials');
  }
  if (url.origin !== context.origin && isPrivateHost(url.hostname)) {
    throw invalidMaterialRequest('`url` must be reachable from the public internet');
  }
}

function startVerification(context: RequestContext, body: MaterialBody): Verification | undefined {
  const person = body.real_person;
  if (person === undefined) return undefined;
  const invalid = (message: string): GatewayError =>
    new GatewayError(400, 'invalid_visual_verification_request', message);
  if (body.type === 'audio') throw invalid('`real_person` is supported only for images and videos');
  if (person.consent_confirmed !== true) {
    const message = '`real_person.consent_confirmed` must be true';
    throw new GatewayError(400, 'visual_verification_consent_required', message);
  }
  const callbackUrl = person.callback_url;
  const callback = typeof callbackUrl === 'string' ? parseWebUrl(callbackUrl) : undefined;
  const secure = callback?.protocol === 'https:' || isPrivateHost(callback?.hostname ?? '');
  if (typeof callbackUrl !== 'string' || callback === undefined || !secure) {
    throw invalid(
      '`real_person.callback_url` must be an HTTPS URL; HTTP is allowed only for private hosts such as localhost',
    );
  }
  const { services, now } = context;
  const expiresAt = now + services.assumptions.A22 * 60 * 1000;
  return { token: services.makeId('verify_'), callbackUrl, expiresAt };
}

/** Parses an HTTP or HTTPS URL without credentials. */
function parseWebUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username + url.password === '' ? url : undefined;
}

/** Names that public DNS never resolves. */
const privateName = /(^|\.)(localhost|local|internal)$/;

/** Whether a host name, as `URL` normalizes it, is in a private network. */
function isPrivateHost(host: string): boolean {
  if (privateName.test(host.replace(/\.$/, ''))) return true;
  if (host.startsWith('[')) return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:)/i.test(host);
  const parts = host.split('.').map(Number);
  if (parts.length !== 4 || !parts.every(Number.isInteger)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 100) return second >= 64 && second <= 127;
  if (first === 172) return second >= 16 && second <= 31;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** Returns the file name in the URL. No other part of the URL ever appears in a response. */
function nameFrom(url: string, type: string): string {
  return new URL(url).pathname.split('/').at(-1) || type;
}
