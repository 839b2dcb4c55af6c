import { stripVTControlCharacters } from 'node:util';

import type { ChatParams, Polygate, ChatCompletion, ChatMessage } from 'polygate';

import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import { formatUsd } from '../money.ts';
import { parseArguments } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { rejectionHint } from './failure.ts';
import { helpOf } from './help.ts';
import { parseWithFields, readParams, requireModel, readPrompt } from './params.ts';
import { EarlyEnd, CommandLog, runCommand } from './run-command.ts';
import { createGateway, resolveSettings } from './settings.ts';
import { note, print, printJson } from './terminal.ts';
import { createCleaner, cleanRecord, KeyRemover } from './text.ts';

const help = () =>
  helpOf('chat', {
    about: 'Sends a prompt to a chat model, and prints its response as it is generated.',
    usage: ['npx polygate chat [options] <prompt>'],
    examples: [
      'npx polygate chat "Why do ships float?" -m aurora-chat',
      'git diff | npx polygate chat "Write a commit message for this diff." \\\n  -m aurora-chat',
    ],
    notes: [
      'Text on stdin is put behind the prompt, or is the prompt if there is none. A pipe that stays silent for 3 seconds is not read, unless - follows the prompt. In a loop that reads a file, add </dev/null. Ctrl-C ends the response with what has arrived. The charge is printed on stderr.',
    ],
    exits: {
      0: 'the response is complete',
      1: 'the service rejected the request; nothing was charged',
      2: 'an option is invalid; nothing was sent',
      3: 'it may have been charged, and the response is missing or cut off. Such a chat is not sent again',
    },
  });

/** Runs the command, and returns its exit code. */
export function runChat(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate chat', isPaid: true });
  return runCommand(log, help, async () => {
    const { values, positionals } = await parseWithFields(['chat'], () =>
      parseArguments(args, commandOptions.chat),
    );
    if (values.help || values.version) return values;
    const model = requireModel(values.model, 'chat');
    const extraBody = await readParams('chat', values);
    const settings = resolveSettings(values, process.env);
    const gateway = createGateway(settings);
    log.note({ clean: createCleaner(settings.apiKey) });
    const { system, image } = values;
    const prompt = await readPrompt(positionals, { takesInput: true });
    const params = { model, messages: messagesOf({ prompt, system, images: image }) };
    log.note({ sent: 'unknown' });
    const { apiKey } = settings;
    const output = { extraBody, isJson: values.json ?? false, apiKey };
    return streamChat(gateway, params, output).catch(async (error: unknown) => {
      const request = { kind: 'chat', type: 'chat', model, params: extraBody } as const;
      log.note({ hint: await rejectionHint(error, gateway, request) });
      throw error;
    });
  });
}

/** Streams a chat to stdout. Returns the exit code; throws the errors of the stream. */
async function streamChat(
  gateway: Polygate,
  params: Pick<ChatParams, 'model' | 'messages'>,
  {
    extraBody,
    isJson,
    apiKey,
  }: {
    /** Fields of the request besides model and messages. */
    extraBody: Record<string, unknown>;
    isJson: boolean;
    /** Is not printed, even if the service repeats it. */
    apiKey: string;
  },
): Promise<number> {
  const end = new EarlyEnd();
  const stream = gateway.chat.completions.stream(params, { extraBody, signal: end.signal });
  const remover = new KeyRemover(apiKey);
  const printRecord = async (completion: object | undefined) => {
    if (!isJson || completion === undefined) return;
    await printJson(cleanRecord({ ...completion, usd: stream.meta?.chargeUsd }, apiKey));
  };
  let last = '';
  let cut: CutReason | undefined;
  let chargeUsd: number | undefined;
  try {
    for await (const text of stream.text()) {
      if (text !== '') last = text;
      if (!isJson) await print(safe(remover.add(text)));
    }
    if (!isJson) await print(safe(remover.end()));
    const completion = await stream.final();
    await printRecord(completion);
    cut = cutReason(completion);
    chargeUsd = stream.meta?.chargeUsd;
    return 0;
  } catch (error) {
    if (!isJson) await print(safe(remover.end()));
    // What has arrived may have been paid for.
    await printRecord(stream.partial);
    if (end.exitCode === undefined) throw error;
    if (!isJson && last !== '' && !last.endsWith('\n')) await print('\n');
    last = '\n';
    note('Interrupted. The response ends here; what was generated may have been charged.');
    return end.exitCode;
  } finally {
    end.dispose();
    if (!isJson && last !== '' && !last.endsWith('\n')) await print('\n');
    if (cut !== undefined) note(`The response was cut off ${cutText[cut]}.`);
    if (chargeUsd !== undefined) note(`Charged: ${formatUsd(chargeUsd)}`);
  }
}

/** A terminal would execute control characters; a pipe gets the text unchanged. */
function safe(text: string): string {
  if (!process.stdout.isTTY) return text;
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');
}

/** Why a response that the service has completed does not contain the whole text. */
type CutReason = 'length' | 'content_filter';

/** Returns why the text of a completion was cut off; undefined if it was not. */
export function cutReason({ choices }: Pick<ChatCompletion, 'choices'>): CutReason | undefined {
  const reasons = choices.map(({ finish_reason }) => finishMeaning(finish_reason));
  if (reasons.includes('length')) return 'length';
  return reasons.includes('content_filter') ? 'content_filter' : undefined;
}

/** Explains why a text was cut off. */
export const cutText: Readonly<Record<CutReason, string>> = {
  length: 'at the token limit (finish_reason: length); --param max_tokens=<n> sets it',
  content_filter: 'by a content filter (finish_reason: content_filter)',
};

/** Returns the messages of a chat. */
export function messagesOf({
  prompt,
  system,
  images = [],
}: {
  prompt: string;
  system?: string | undefined;
  /** URLs of images. */
  images?: readonly string[] | undefined;
}): ChatMessage[] {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  if (images.length === 0) return [...messages, { role: 'user', content: prompt }];
  const parts = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return [...messages, { role: 'user', content: [{ type: 'text', text: prompt }, ...parts] }];
}
