/**
 * Whether a response with this status says that the URL of a result has expired. A poll of its task may return a fresh
 * one.
 */
export const hasExpiredURL = (status: number): boolean => [403, 404, 410].includes(status);
