import { ChatClient } from '../../src/chat.ts';
import { ChatStream } from '../../src/index.ts';
import type { ChatCompletion, ChatCompletionMessage, ToolRunProgress } from '../../src/index.ts';
import { clientOf, doneEvent, params, streamingFetch, streamOf } from './event-stream.ts';
import { collect } from './rejection.ts';

/** The completions that all ways of reading these events lead to, by the name of the way. */
export async function completionsOf(
  events: readonly string[],
): Promise<Record<string, ChatCompletion>> {
  const pieces = [...events, doneEvent];
  const looped = streamOf(pieces);
  await collect(looped);
  const read = streamOf(pieces);
  await collect(read.text());
  const [one, other] = streamOf(pieces).tee();
  const [left] = await Promise.all([one.final(), collect(other)]);
  const small = new ChatClient({
    apiKey: 'sk-test',
    baseURL: 'https://host.example',
    logLevel: 'off',
    fetch: streamingFetch(pieces),
  });
  const created = await clientOf(streamingFetch(pieces)).chat.completions.create({
    ...params,
    stream: true,
  });
  const run = await clientOf(streamingFetch(pieces))
    .chat.completions.run({ ...params, tools: [] }, { maxRounds: 1, onStream: () => undefined })
    .catch((error: { run: ToolRunProgress }) => error.run);
  return {
    'final()': await streamOf(pieces).final(),
    'a loop': await looped.final(),
    'text()': await read.final(),
    'tee()': left,
    'a branch of tee()': await other.final(),
    'toReadableStream()': await relayed(streamOf(pieces)),
    'create({ stream: true }), relayed': await relayed(created),
    'polygate/chat': await small.chat.completions.stream(params).final(),
    'run()': firstCompletion(run),
  };
}

function firstCompletion({ rounds: [round] }: ToolRunProgress): ChatCompletion {
  if (!round) throw new Error('The run has no round');
  return round.completion;
}

async function relayed(stream: Pick<ChatStream, 'toReadableStream'>) {
  return ChatStream.fromReadableStream(stream.toReadableStream()).final();
}

/** The first message that all ways of reading these events lead to, by the name of the way. */
export async function messagesOf(
  events: readonly string[],
): Promise<Record<string, ChatCompletionMessage | undefined>> {
  const completions = await completionsOf(events);
  return Object.fromEntries(
    Object.entries(completions).map(([way, { choices }]) => [way, choices[0]?.message]),
  );
}
