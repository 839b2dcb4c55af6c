/** The service's statuses as people say it. */
export const statusWords: Readonly<Record<string, string | undefined>> = {
  creating: 'being created',
  verification_pending: 'waits for the person',
  verification_failed: 'the person was not verified',
  verification_expired: 'the check was not done in time',
  processing: 'being processed',
  available: 'available',
  failed: 'failed',
  delete_pending: 'being deleted',
  deleted: 'deleted',
};
