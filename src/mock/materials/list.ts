import type { Material } from '../../schemas/materials.ts';
import type { RequestContext } from '../http/request-context.ts';
import { badMaterial } from './create.ts';
import { materialRecord } from './record.ts';
import { statusOf } from './store.ts';
import { hash } from '../random.ts';
import { GatewayError } from '../http/response/gateway-error.ts';

/** States that a list may show; it may be asked for one of them. Specification: Materials. */
const listed = ['creating', 'verification_pending', 'processing', 'available', 'delete_pending'];

const types = ['image', 'video', 'audio'];

/** A page of the caller's materials, the newest first. */
export function materialPage(call: RequestContext): Record<string, unknown> {
  const type = oneOf(call.query, 'type', types);
  const status = oneOf(call.query, 'status', listed);
  const limit = pageSize(call.query.get('limit'));
  const before = position(call, call.query.get('after'));
  const found = call.services.materials
    .of(call.user)
    .filter((material) => material.number < before)
    .filter((material) => type === undefined || material.type === type)
    .filter((material) => {
      const current: string = statusOf(material, call.now);
      return status === undefined ? listed.includes(current) : current === status;
    });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const more = found.length > page.length && last !== undefined;
  const data: Material[] = page.map((material) => materialRecord(call, material));
  return {
    object: 'material.list',
    data,
    has_more: more,
    ...nextCursor(call, more ? last.number : undefined),
  };
}

function nextCursor(
  call: RequestContext,
  number: number | undefined,
): { next_cursor?: string | null } {
  if (number !== undefined) return { next_cursor: cursor(call, number) };
  return call.services.assumptions.A21 === 'absent' ? {} : { next_cursor: null };
}

function oneOf(query: URLSearchParams, name: string, values: string[]): string | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (values.includes(value)) return value;
  throw badMaterial(`\`${name}\` must be one of ${values.join(', ')}`);
}

function pageSize(text: string | null): number {
  if (text === null) return 50;
  const size = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= 100) return size;
  throw badMaterial('`limit` must be a whole number from 1 to 100');
}

/** Opaque, bound to its user, and recognised when it comes back. */
function cursor(call: RequestContext, number: number): string {
  const seal = hash(`${call.services.settings.seed} ${call.user.name} ${number}`).toString(36);
  return `cur_${number.toString(36)}_${seal}`;
}

function position(call: RequestContext, text: string | null): number {
  if (text === null) return Infinity;
  const [, digits = ''] = /^cur_([0-9a-z]{1,8})_[0-9a-z]+$/.exec(text) ?? [];
  const number = Number.parseInt(digits, 36);
  if (digits !== '' && cursor(call, number) === text) return number;
  throw new GatewayError(400, 'invalid_material_cursor', '`after` was not issued by this list');
}
