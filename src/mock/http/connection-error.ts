/**
 * How `fetch` reports a connection that failed: a `TypeError` whose cause carries the system's
 * code.
 */
export function connectionError(kind: 'refused' | 'reset' | 'cut'): TypeError {
  switch (kind) {
    case 'refused':
      return failure('fetch failed', 'connect ECONNREFUSED', 'ECONNREFUSED');
    case 'reset':
      return failure('fetch failed', 'read ECONNRESET', 'ECONNRESET');
    case 'cut':
      return failure('terminated', 'other side closed', 'UND_ERR_SOCKET');
  }
}

function failure(message: string, reason: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}
