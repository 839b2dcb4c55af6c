/** Display text for each material status. */
export const statusLabels: Readonly<Record<string, string | undefined>> = {
  creating: 'creating',
  verification_pending: 'waiting for verification',
  verification_failed: 'verification failed',
  verification_expired: 'verification expired',
  processing: 'processing',
  available: 'available',
  failed: 'failed',
  delete_pending: 'deleting',
  deleted: 'deleted',
};
