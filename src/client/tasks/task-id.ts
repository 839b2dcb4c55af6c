/** The id of a record that has none. */
export const missingId = '';

/** Whether the id of a task is known. If not, the task cannot be polled, and only its idempotency key can find it again. */
export function hasId({ id }: { readonly id?: string | undefined }): boolean {
  return Boolean(id);
}
