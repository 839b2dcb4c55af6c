import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  safeValidateUIMessages,
  streamText,
  toUIMessageStream,
} from 'ai';
import type { TextStreamPart, ToolSet, UIMessage } from 'ai';
import { PolygateError } from 'polygate';
import { createPolygate } from 'polygate/ai-sdk';
import type { PolygateProviderSettings } from 'polygate/ai-sdk';

import type { ResponseMetadata } from '../shared/ai-sdk.ts';
import { toProblem } from '../shared/problem.ts';

/** Creates the route that the page's AI SDK chat uses. It responds like any app that uses the AI SDK. */
export function createAiSdkRoute(
  settings: PolygateProviderSettings,
  origins?: readonly string[],
): (request: Request) => Promise<Response> {
  const polygate = createPolygate(settings);
  return async (request) => {
    // A chat costs money, so no other site may start one. In the page, only the page itself can call the route.
    if (origins && !origins.includes(request.headers.get('origin') ?? '')) {
      return new Response('This origin may not use the playground.', { status: 403 });
    }
    const body = await readBody(request);
    if (body === undefined) return new Response('The request is invalid.', { status: 400 });
    const { messages, model, requestId, ...sampling } = body;
    const { stream } = streamText({
      ...sampling,
      model: polygate(model),
      messages: await convertToModelMessages(messages),
      // The request log groups the attempts of a chat by this id.
      headers: { 'x-request-id': requestId },
      // Stopping in the page closes the connection, which aborts the request to the gateway.
      abortSignal: request.signal,
      // The page shows the error, so it need not be printed as well.
      onError: () => {},
    });
    return createUIMessageStreamResponse({
      stream: toUIMessageStream<ToolSet, UIMessage<ResponseMetadata>>({
        stream,
        messageMetadata: ({ part }) => readMetadata(part),
        onError: toErrorText,
      }),
    });
  };
}

/** What the page sends in addition to the messages. */
interface ChatBody {
  model: string;
  messages: UIMessage[];
  /** The same if a message is sent again after a failure. */
  requestId: string;
  instructions?: string;
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
}

async function readBody(request: Request): Promise<ChatBody | undefined> {
  const body: unknown = await request.json().catch(() => undefined);
  const { model, messages, instructions, requestId, ...rest }: Record<string, unknown> = {
    ...(typeof body === 'object' ? body : {}),
  };
  const checked = await safeValidateUIMessages({ messages });
  if (typeof model !== 'string' || !checked.success) return undefined;
  const sampling = ['temperature', 'topP', 'maxOutputTokens'].flatMap((name) =>
    typeof rest[name] === 'number' ? [[name, rest[name]] as const] : [],
  );
  return {
    model,
    messages: checked.data,
    requestId: isRequestId(requestId) ? requestId : crypto.randomUUID(),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...Object.fromEntries(sampling),
  };
}

function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value);
}

/** Tokens and charge, which are known when the response has ended. */
function readMetadata(part: TextStreamPart<ToolSet>): ResponseMetadata | undefined {
  if (part.type !== 'finish-step') return undefined;
  const { usage, providerMetadata } = part;
  const costUsd = providerMetadata?.['polygate']?.['chargeUsd'];
  return {
    tokens: { input: usage.inputTokens, output: usage.outputTokens },
    costUsd: typeof costUsd === 'number' ? costUsd : undefined,
  };
}

/**
 * The problem that the page shows, as JSON, because the AI SDK sends an error as a text. By default, it hides errors from the
 * page, because they may contain secrets. The messages of polygate contain none, and say whether money may have been spent.
 */
function toErrorText(error: unknown): string {
  const errors = [error, error instanceof Error ? error.cause : undefined];
  const known = errors.find((candidate) => PolygateError.is(candidate));
  if (known === undefined) console.error(error);
  return JSON.stringify(toProblem(known ?? 'The playground failed to handle this message.'));
}
