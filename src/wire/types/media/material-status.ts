import type { AvailableMaterial, Material } from './materials.ts';

/** Whether a material can be used in video requests: its status is `available` and it has a URI. */
export function isAvailable(material: Material): material is AvailableMaterial {
  return material.status === 'available' && (material.uri ?? '').startsWith('asset://');
}

/** Whether a material with this status never changes again. Specification: Material status; polling a material. */
export const isFinalMaterialStatus = (status: string): boolean =>
  /^available$|^delete|(failed|expired)$/.test(status);
