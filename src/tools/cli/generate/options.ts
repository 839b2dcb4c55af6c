import { serviceHelp } from '../command-options.ts';
import type { GenerationKind } from '../state/task-entry.ts';

const examples: Readonly<Record<GenerationKind, string>> = {
  image: 'npx polygate image "A harbour" -m prism-image -o harbour.png',
  video: 'npx polygate video "A harbour at dawn" -m tide-video --param duration=5 -o harbour.mp4',
  music: 'npx polygate music "A calm harbour" -m anthem-music -o harbour.wav',
  speech: 'npx polygate speech "Welcome" -m echo-speech --param voice=narrator-1 -o welcome.wav',
};

/** The model types of the commands, for `polygate models --type`. */
export const modelTypes: Readonly<Record<GenerationKind, string>> = {
  image: 'image',
  video: 'video',
  music: 'audio',
  speech: 'audio',
};

/** What the command takes as its argument. */
export const inputName = (kind: GenerationKind): string => (kind === 'speech' ? 'text' : 'prompt');

/** The help text of a command. */
export const help = (kind: GenerationKind): string => `Generates ${
  kind === 'image' ? 'an image' : kind === 'video' ? 'a video' : kind
} and saves it.

Usage: npx polygate ${kind} [options] <${inputName(kind)}>

Example:
  ${examples[kind]}

Without an argument, the ${inputName(kind)} is read from stdin. The request is stored before it is sent, and its receipt
before the wait: after Ctrl-C or a crash, npx polygate task wait <id or key> continues, without a second charge.

Options:
  -m, --model <id>  model; npx polygate models --type ${modelTypes[kind]} lists them
  -o, --output <file>
                    name of the file; {id} is the task id, {n} the number of the result, {ext} the extension of its
                    media type (default: {id}.{ext}). Several results get {n}, or -2, -3
  --param <n=value> any other field of the request; repeat the option for more. The value is JSON if it parses, and
                    text otherwise. A name that is probably misspelled is refused
  --field <n=value> like --param, for a field of any name
  --force           replace existing files
  --no-wait         print the receipt as JSON and do not wait
  --receipt <file>  write a copy of the receipt to this file
  --idempotency-key <key>
                    key of the request: a repetition with the same key is not charged again
  --json            print files, URLs, charge, task id and key as one JSON object
${serviceHelp}
Exit codes:
  0    the result is saved
  1    the service rejected the request, or the task failed
  2    an option or a file is invalid; nothing was sent
  3    it may have been charged, and the result is not saved yet; the last line says how to continue
  130  interrupted with Ctrl-C; 141 the output pipe was closed; 143 SIGTERM
`;
