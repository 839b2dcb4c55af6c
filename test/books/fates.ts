/** What can happen to a paid request: the table of verdicts, as a service and a network cause it. */

/** What a request has led to at the service, before its response is made. */
export interface Execution {
  readonly taskId: string;
  /** What the response says about the charge; undefined if it says nothing. */
  readonly shownUsd: number | undefined;
  readonly isReplay: boolean;
}

/** How a request ends. */
export interface Fate {
  /** Whether the service handles it, and so charges it. */
  readonly isHandled: boolean;
  /** Whether the client gets a result. */
  readonly hasResult?: boolean;
  /** Whether its charge reaches the client. */
  readonly isReported: boolean;
  /** The response, or what `fetch` throws. */
  readonly respond: (execution: Execution) => Response;
}

const charge = 'x-svc-charge-usd';

const accepted = (
  { taskId, shownUsd, isReplay }: Execution,
  change: (headers: Headers) => void = () => {},
): Response => {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (shownUsd !== undefined) headers.set(charge, String(shownUsd));
  if (isReplay) headers.set('x-svc-idempotent-replay', 'true');
  change(headers);
  const record = {
    id: taskId,
    object: 'image.task',
    status: 'completed',
    data: [{ url: `https://files.example/${taskId}.png` }],
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  };
  return new Response(JSON.stringify(record), { headers });
};

/** Like fetch of Node, whose errors have a system error as their cause. */
const throwing = (code: string) => (): Response => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
};

/** A body that fails after its headers have arrived. */
const failingBody = () =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError('terminated'));
    },
  });

const envelope = (status: number, code: string) => (): Response =>
  Response.json({ error: { message: `Refused: ${code}`, type: 'test_error', code } }, { status });

const html = (status: number) => (): Response =>
  new Response('<html>Not here</html>', { status, headers: { 'content-type': 'text/html' } });

const handled = (respond: Fate['respond'], isReported = true): Fate => ({
  isHandled: true,
  isReported,
  respond,
});

/** The service handles it, and the client gets its result. */
const succeeding = (respond: Fate['respond'], isReported = true): Fate => ({
  ...handled(respond, isReported),
  hasResult: true,
});

const refused = (respond: Fate['respond']): Fate => ({
  isHandled: false,
  isReported: false,
  respond,
});

/** An error response that reports the charge of the request. */
const failedWithCharge = (status: number) => (execution: Execution) => {
  const { headers } = accepted(execution);
  return new Response('{"error":{"message":"Failed","code":"internal_error"}}', {
    status,
    headers,
  });
};

/** A charge header that no client can use. */
const unusable = (value: string) => (execution: Execution) =>
  accepted(execution, (headers) => {
    if (headers.has(charge)) headers.set(charge, value);
  });

const withoutCharge = (execution: Execution) =>
  accepted(execution, (headers) => headers.delete(charge));

const cutOff = (execution: Execution) =>
  new Response(failingBody(), { headers: accepted(execution).headers });

/** Statuses of the service that say nothing about earlier requests. */
const rejections = [401, 402, 403, 405, 409, 410, 413, 415, 429, 503] as const;

/** The response to every request with a key that the service does not accept. None of them was ever charged. */
export const invalid = 'invalid key';

/** By name. */
export const fates: Readonly<Record<string, Fate>> = {
  accepted: succeeding((execution) => accepted(execution)),
  'no charge': succeeding(withoutCharge, false),
  'negative charge': succeeding(unusable('-1'), false),
  'charge that is no number': succeeding(unusable('free'), false),
  'infinite charge': succeeding(unusable('Infinity'), false),
  'charge twice': succeeding((execution) =>
    accepted(execution, (headers) => {
      const value = headers.get(charge);
      if (value !== null) headers.append(charge, value);
    }),
  ),
  'two charges': succeeding((execution) =>
    accepted(execution, (headers) => {
      if (Number(headers.get(charge)) > 0) headers.append(charge, '0.001');
    }),
  ),
  'lost after': handled(throwing('ECONNRESET'), false),
  'lost before': refused(throwing('ECONNRESET')),
  'cut off': handled(cutOff),
  'cut off without charge': handled(
    (execution) => new Response(failingBody(), { headers: withoutCharge(execution).headers }),
    false,
  ),
  ...Object.fromEntries(
    [303, 408, 500, 502, 504].flatMap((status) => [
      [`${status} after`, handled(html(status), false)],
      [`${status} before`, refused(html(status))],
    ]),
  ),
  'unread 409': handled(() => new Response(failingBody(), { status: 409 }), false),
  'unread 503': handled(() => new Response(failingBody(), { status: 503 }), false),
  '500 with charge': handled(failedWithCharge(500)),
  '402 with charge': handled(failedWithCharge(402)),
  '400 with charge': handled(failedWithCharge(400)),
  unreachable: refused(throwing('ECONNREFUSED')),
  'unknown host': refused(throwing('ENOTFOUND')),
  ...Object.fromEntries(
    rejections.map((status) => [String(status), refused(envelope(status, `code_${status}`))]),
  ),
  '307': refused(
    () => new Response(null, { status: 307, headers: { location: 'https://a.example/' } }),
  ),
  'HTML 400': refused(html(400)),
  'HTML 404': refused(html(404)),
  'HTML 422': refused(html(422)),
  'JSON 404': refused(() => Response.json({ message: 'no route' }, { status: 404 })),
  'JSON 400': refused(() => Response.json({ message: 'bad gateway' }, { status: 400 })),
  'unknown code': refused(envelope(400, 'something_new')),
  model_not_found: refused(envelope(404, 'model_not_found')),
  task_not_found: refused(envelope(404, 'task_not_found')),
  material_not_available: refused(envelope(422, 'material_not_available')),
  invalid_request_parameter: refused(envelope(400, 'invalid_request_parameter')),
  // Of the service, it would be true for one key only: see `bad`.
  [invalid]: refused(envelope(400, 'invalid_idempotency_key')),
};

/** The fates that can be true of any request. */
export const anyFate: readonly string[] = Object.keys(fates).filter((name) => name !== invalid);

/** The fate with a name. */
export function fateOf(name: string): Fate {
  const fate = fates[name];
  if (fate === undefined) throw new Error(`There is no fate ${name}`);
  return fate;
}
