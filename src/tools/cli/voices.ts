import type { Voice } from 'polygate';

import { isNonEmptyString } from '../../wire/types/type-guards.ts';
import { parseOptions } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { createGateway } from './gateway.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { resolveSettings } from './settings.ts';
import { note, print, printJson } from './terminal.ts';
import { cleanRecord, createCleaner, styleFor, wrap } from './text.ts';

const help = () =>
  helpOf('voices', {
    about: 'Lists the voices for speech: system voices and your own, with a sample of each.',
    usage: ['npx polygate voices [options]'],
    examples: ['npx polygate voices -m echo-speech'],
    notes: ['The id of a voice is what --voice of polygate speech takes. Listing voices is free.'],
  });

/** Runs the command, and returns its exit code. */
export function runVoices(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate voices', isPaid: false });
  return runCommand(log, help, async () => {
    const options = parseOptions(args, commandOptions.voices);
    if (options.help || options.version) return options;
    const settings = resolveSettings(options, process.env);
    const clean = createCleaner(settings.apiKey);
    log.note({ clean });
    const { data } = await createGateway(settings).voices.list({ model: options.model });
    const { width } = styleFor(process.stdout);
    if (options.json) await printJson(data.map((voice) => cleanRecord(voice, settings.apiKey)));
    else if (data.length === 0) note('The service lists no voices.');
    else await print(data.map((voice) => voiceText(voice, clean, width)).join('\n'));
    return 0;
  });
}

/** The voice in a few lines: its id, what it is like, and where its sample is. The service may leave out any of it. */
function voiceText(voice: Partial<Voice>, clean: (text: string) => string, width: number): string {
  const { voice_id: id = '', display_name: name, language, description, source_type: type } = voice;
  const about = [
    [name, language].filter(isNonEmptyString).join(', '),
    description,
    type !== undefined && type !== 'system' ? 'your own' : undefined,
  ].filter(isNonEmptyString);
  const models = voice.compatible_models ?? [];
  const lines = [
    ...(about.length > 0 ? [about.join('. ')] : []),
    ...(models.length > 0 ? [`Models: ${models.join(', ')}`] : []),
    ...(isNonEmptyString(voice.preview_audio_url) ? [`Sample: ${voice.preview_audio_url}`] : []),
  ];
  return [clean(id), ...lines.map((line) => `  ${wrap(clean(line), 2, width)}`)]
    .map((line) => `${line}\n`)
    .join('');
}
