/** The same answer, whose body goes through `transformer` and ends with an error as soon as the signal aborts. */
export function withAbortableBody(
  response: Response,
  signal: AbortSignal | undefined,
  transformer?: Transformer<Uint8Array, Uint8Array>,
): Response {
  const { body, url } = response;
  if (body === null || !(signal || transformer)) return response;
  const through = new TransformStream(transformer);
  const copy = new Response(body.pipeThrough(through, signal && { signal }), response);
  return Object.defineProperty(copy, 'url', { value: url });
}
