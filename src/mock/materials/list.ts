import type { Material } from '../../schemas/materials.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { hash } from '../random.ts';
import { invalidMaterialRequest } from './create.ts';
import { materialRecord } from './record.ts';
import { statusOf } from './store.ts';

/** The statuses that lists include and that the `status` filter accepts. Specification: Materials. */
const listedStatuses = [
  'creating',
  'verification_pending',
  'processing',
  'available',
  'delete_pending',
];

const types = ['image', 'video', 'audio'];

/** One page of the caller's materials, newest first. */
export function listMaterials(call: RequestContext): Record<string, unknown> {
  const type = oneOf(call.query, 'type', types);
  const status = oneOf(call.query, 'status', listedStatuses);
  const limit = pageSize(call.query.get('limit'));
  const before = parseCursor(call, call.query.get('after'));
  const matches = call.services.materials
    .ownedBy(call.user)
    .filter((material) => material.number < before)
    .filter((material) => type === undefined || material.type === type)
    .filter((material) => {
      const current: string = statusOf(material, call.now);
      return status === undefined ? listedStatuses.includes(current) : current === status;
    });
  const page = matches.slice(0, limit);
  const last = page.at(-1);
  const hasMore = matches.length > page.length && last !== undefined;
  const data: Material[] = page.map((material) => materialRecord(call, material));
  return {
    object: 'material.list',
    data,
    has_more: hasMore,
    ...nextCursor(call, hasMore ? last.number : undefined),
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
  throw invalidMaterialRequest(`\`${name}\` must be one of ${values.join(', ')}`);
}

function pageSize(text: string | null): number {
  if (text === null) return 50;
  const size = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= 100) return size;
  throw invalidMaterialRequest('`limit` must be an integer from 1 to 100');
}

/** An opaque cursor. The checksum ties it to its user and reveals altered cursors. */
function cursor(call: RequestContext, number: number): string {
  const checksum = hash(`${call.services.settings.seed} ${call.user.name} ${number}`).toString(36);
  return `cur_${number.toString(36)}_${checksum}`;
}

function parseCursor(call: RequestContext, text: string | null): number {
  if (text === null) return Infinity;
  const [, digits = ''] = /^cur_([0-9a-z]{1,8})_[0-9a-z]+$/.exec(text) ?? [];
  const number = Number.parseInt(digits, 36);
  if (digits !== '' && cursor(call, number) === text) return number;
  throw new GatewayError(
    400,
    'invalid_material_cursor',
    '`after` must be the unchanged `next_cursor` of the previous page',
  );
}
