import { text } from './answer.ts';
import type { Answer } from './answer.ts';
import { param } from './call.ts';
import type { Call } from './call.ts';
import { statusOf } from './materials.ts';
import { Refusal } from './refusal.ts';

/**
 * The page that a real person visits: it verifies at once and sends the browser back.
 * Specification: Events.
 */
export function verify(call: Call): Answer {
  const { materials } = call.services;
  const material = materials.byToken(param(call, 'token'));
  const verification = material?.verification;
  if (material === undefined || verification === undefined) throw gone();
  switch (statusOf(material, call.now)) {
    case 'deleted':
    case 'expired':
      throw gone();
    case 'verification_pending':
      if (call.query.get('outcome') === 'failed') material.verificationFailed = true;
      else materials.process(material, call.now);
      break;
    default:
      break;
  }
  const target = new URL(verification.callbackUrl);
  const status = statusOf(material, call.now);
  target.search = new URLSearchParams({
    material_id: material.id,
    material_status: status,
  }).toString();
  const headers = { location: target.href, 'cache-control': 'no-store' };
  return text(302, 'text/plain; charset=utf-8', '', headers);
}

function gone(): Refusal {
  return new Refusal(404, 'material_not_found', 'This verification is over');
}
