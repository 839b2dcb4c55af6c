/** Stands for an id in a record that has none: a submission can return a finished result without the id of its task. */
export const missingId = '';

/** Whether the id of a task is known. If not, the task cannot be polled, and only its idempotency key can find it again. */
export function hasId({ id }: { readonly id?: string | undefined }): boolean {
  return Boolean(id);
}
