import { ConfigurationError } from '../../../errors/base.ts';
import type { MaterialStatus } from '../../../wire/types/media/materials.ts';
import { parseURL } from '../../../wire/types/type-guards.ts';

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
