import * as z from 'zod/mini';

import type { RequestContext } from '../http/request-context.ts';
import { fingerprint, materialKey, remember } from '../account/idempotency.ts';
import { statusOf } from './store.ts';
import { isPrivateHost } from './private-host.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { MaterialState, Verification } from '../account/state.ts';

/** A create body up to the real-person part, which has error codes of its own. */
export const materialBody = z.looseObject({
  url: z.string(),
  type: z.enum(['image', 'video', 'audio']),
  name: z.optional(z.string()),
  real_person: z.optional(z.looseObject({})),
});

export type MaterialBody = z.infer<typeof materialBody>;

/** 400 with the code for materials. */
export function badMaterial(message: string): GatewayError {
  return new GatewayError(400, 'invalid_material_request', message);
}

/** A new material, or the one that the same key made before. Specification: Materials. */
export function createMaterial(
  call: RequestContext,
  body: MaterialBody,
): { material: MaterialState; replayed: boolean } {
  const { materials } = call.services;
  const scope = `material ${materialKey(call)}`;
  const earlier = call.user.submits.get(scope);
  if (earlier === undefined) {
    const material = newMaterial(call, body);
    materials.add(material);
    const made = { fingerprint: fingerprint(body), taskId: material.id, chargeUsd: 0 };
    remember(call, scope, made);
    return { material, replayed: false };
  }
  if (earlier.fingerprint !== fingerprint(body)) {
    const message = 'This Idempotency-Key was used for another request';
    throw new GatewayError(409, 'material_idempotency_conflict', message);
  }
  const material = materials.byId(earlier.taskId ?? '');
  const status = material === undefined ? 'deleted' : statusOf(material, call.now);
  if (material === undefined || status === 'deleted' || status === 'expired') {
    throw new GatewayError(404, 'material_not_found', 'The material of this key is gone');
  }
  return { material, replayed: true };
}

function newMaterial(call: RequestContext, body: MaterialBody): MaterialState {
  const { id, materials } = call.services;
  checkSource(call, body.url);
  const verification = verificationFor(call, body);
  const material: MaterialState = {
    id: id('mat_'),
    user: call.user,
    name: body.name ?? nameFrom(body.url, body.type),
    type: body.type,
    uri: `asset://${id('')}`,
    sourceUrl: body.url,
    createdAt: call.now,
    number: materials.count + 1,
    outcome: materials.outcome(body.url),
    verification,
    processingAt: undefined,
    processedAt: undefined,
    verificationFailed: false,
    deletedAt: undefined,
  };
  if (verification === undefined) materials.process(material, call.now);
  return material;
}

/** Specification: Source URL rules. Files of this gateway itself may be used wherever it runs. */
function checkSource(call: RequestContext, text: string): void {
  const url = parse(text);
  if (url === undefined) throw badMaterial('`url` must be an HTTP or HTTPS URL without a login');
  if (url.origin !== call.origin && isPrivateHost(url.hostname)) {
    throw badMaterial('`url` must be reachable from the public internet');
  }
}

function verificationFor(call: RequestContext, body: MaterialBody): Verification | undefined {
  const person = body.real_person;
  if (person === undefined) return undefined;
  const invalid = (message: string): GatewayError =>
    new GatewayError(400, 'invalid_visual_verification_request', message);
  if (body.type === 'audio') throw invalid('`real_person` is for images and videos');
  if (person.consent_confirmed !== true) {
    const message = '`real_person.consent_confirmed` must be true';
    throw new GatewayError(400, 'visual_verification_consent_required', message);
  }
  const callbackUrl = person.callback_url;
  const callback = typeof callbackUrl === 'string' ? parse(callbackUrl) : undefined;
  const safe = callback?.protocol === 'https:' || isPrivateHost(callback?.hostname ?? '');
  if (typeof callbackUrl !== 'string' || callback === undefined || !safe) {
    throw invalid(
      '`real_person.callback_url` must be an HTTPS URL, or HTTP on a machine of your own',
    );
  }
  const { services, now } = call;
  const expiresAt = now + services.assumptions.A22 * 60 * 1000;
  return { token: services.id('verify_'), callbackUrl, expiresAt };
}

/** An address on the web that needs no login. */
function parse(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username + url.password === '' ? url : undefined;
}

/** The name of the file; the rest of its address never shows. */
function nameFrom(url: string, type: string): string {
  return new URL(url).pathname.split('/').at(-1) || type;
}
