import { ConfigurationError } from '../../errors/base.ts';
import type { PolygateError } from '../../errors/base.ts';
import { abortedError } from '../../errors/call.ts';
import { materialSchema } from '../../wire/types/media/materials.ts';
import type { Material, MaterialStatus } from '../../wire/types/media/materials.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { readJson, readWithSchema } from '../call/response.ts';
import { waitAborted } from './polled-record.ts';
import type { WaitStart } from './polled-record.ts';

/** The result of one poll of a material. */
export type MaterialUpdate = Material & {
  /** Why this poll failed, if it did; the other fields are then those of the previous poll. The wait continues. */
  pollError?: Error | undefined;
};

export const readMaterial = readJson(readWithSchema(materialSchema));

/** A wait for a material, before the code that waits is loaded. */
export interface MaterialWait extends WaitStart {
  readonly id: string;
  readonly aborted: (reason: unknown) => PolygateError;
  /** The message of an error of the wait. */
  readonly withAdvice: (problem: string) => string;
}

export function materialWait(context: ClientContext, id: string): MaterialWait {
  const withAdvice = (problem: string) =>
    `${problem} Material ${id} is not lost: continue with materials.wait().`;
  const aborted = (reason: unknown) => abortedError(reason, {}, withAdvice(waitAborted));
  return { context, id, aborted, withAdvice };
}

/**
 * Parses the URL to which a browser is redirected after a verification. It reports only that a result exists, so
 * keep polling the material for its status.
 *
 * @throws {@link ConfigurationError} for anything other than the two documented parameters.
 */
export function parseMaterialCallback(url: string | URL): {
  materialId: string;
  materialStatus: MaterialStatus;
} {
  const query = parseURL(String(url), 'https://callback.invalid')?.searchParams;
  const materialId = query?.get('material_id');
  const materialStatus = query?.get('material_status');
  if (materialId && materialStatus && query?.size === 2) return { materialId, materialStatus };
  throw new ConfigurationError(
    'url: must have exactly the parameters material_id and material_status.',
  );
}
