/** Whether a material with this status never changes again. Specification: Material status; polling a material. */
export const isFinalMaterialStatus = (status: string): boolean =>
  /^available$|^delete|(failed|expired)$/.test(status);
