/** Creates the error that `fetch` throws for a failed connection: a `TypeError` whose cause has a code. */
export function connectionError(kind: 'refused' | 'reset' | 'cut'): TypeError {
  switch (kind) {
    case 'refused':
      return fetchError('fetch failed', 'connect ECONNREFUSED', 'ECONNREFUSED');
    case 'reset':
      return fetchError('fetch failed', 'read ECONNRESET', 'ECONNRESET');
    case 'cut':
      return fetchError('terminated', 'other side closed', 'UND_ERR_SOCKET');
  }
}

function fetchError(message: string, reason: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}
