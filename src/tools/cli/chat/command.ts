import { parseArguments } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions, serviceHelp } from '../command-options.ts';
import { createGateway } from '../gateway.ts';
import { readParams, requireModel } from '../params.ts';
import { readPrompt } from '../prompt.ts';
import { runCommand } from '../run-command.ts';
import { resolveSettings } from '../settings.ts';
import { createCleaner } from '../text.ts';
import { messagesOf } from './messages.ts';
import { streamChat } from './stream-chat.ts';

const help = `Sends a prompt to a chat model, and prints its response as it is generated.

Usage: npx polygate chat [options] <prompt>

Examples:
  npx polygate chat "Why do ships float?" -m aurora-chat
  git diff | npx polygate chat -m aurora-chat --system "Write a commit message for this diff."

Without a prompt, it is read from stdin. Ctrl-C ends the response with what has arrived. The
charge is printed on stderr.

Options:
  -m, --model <id>  model; npx polygate models --type chat lists them
  --system <text>   instructions for the model
  --param <n=value> any other field of the request, such as temperature=0.2; repeat the option for more. The value is
                    JSON if it parses, and text otherwise. A name that is probably misspelled is refused
  --field <n=value> like --param, for a field of any name
  --image <url>     an image for the model to see; repeat the option for more
  --json            print the completion as one JSON object when it is complete
${serviceHelp}
Exit codes:
  0    the response is complete
  1    the service rejected the request; nothing was charged
  2    an option is invalid; nothing was sent
  3    it may have been charged, and the response is missing or cut off. Such a chat is not sent again
  130  ended with Ctrl-C; 141 the output pipe was closed; 143 SIGTERM
`;

/** Runs the command, and returns its exit code. */
export function runChat(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate chat', isPaid: true });
  return runCommand(log, help, async () => {
    const { values, positionals } = parseArguments(args, commandOptions.chat);
    if (values.help || values.version) return values;
    const model = requireModel(values.model, 'chat');
    const extraBody = await readParams('chat', values);
    const settings = resolveSettings(values, process.env);
    const gateway = createGateway(settings);
    log.useCleaner(createCleaner(settings.apiKey));
    const { system, image } = values;
    const prompt = await readPrompt(positionals);
    const params = { model, messages: messagesOf({ prompt, system, images: image }) };
    log.noteSending();
    const { apiKey } = settings;
    return streamChat(gateway, params, { extraBody, isJson: values.json ?? false, apiKey });
  });
}
