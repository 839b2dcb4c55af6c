import { stripVTControlCharacters } from 'node:util';

import type { ChatParams, Polygate } from 'polygate';

import { EarlyEnd } from '../early-end.ts';
import { formatUsd } from '../money.ts';
import { note, print, printJson } from '../output.ts';
import { cleanRecord, KeyRemover } from '../text.ts';
import { cutReason, cutText } from './cut-reason.ts';
import type { CutReason } from './cut-reason.ts';

/** How a chat is printed. */
interface ChatOutput {
  /** Fields of the request besides model and messages. */
  extraBody: Record<string, unknown>;
  isJson: boolean;
  /** Is not printed, even if the service repeats it. */
  apiKey: string;
}

/** Streams a chat to stdout. Returns the exit code; throws the errors of the stream. */
export async function streamChat(
  gateway: Polygate,
  params: Pick<ChatParams, 'model' | 'messages'>,
  { extraBody, isJson, apiKey }: ChatOutput,
): Promise<number> {
  const end = new EarlyEnd();
  const stream = gateway.chat.completions.stream(params, { extraBody, signal: end.signal });
  const remover = new KeyRemover(apiKey);
  const printRecord = (record: object) => printJson(cleanRecord(record, apiKey));
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
    if (isJson) await printRecord(completion);
    cut = cutReason(completion);
    chargeUsd = stream.meta?.chargeUsd;
    return 0;
  } catch (error) {
    if (!isJson) await print(safe(remover.end()));
    if (end.exitCode === undefined) {
      // What has arrived may have been paid for.
      if (isJson && stream.partial !== undefined) await printRecord(stream.partial);
      throw error;
    }
    if (isJson && stream.partial !== undefined) await printRecord(stream.partial);
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
