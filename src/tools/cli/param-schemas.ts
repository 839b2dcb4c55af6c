import { optionAmong } from '../../internal.ts';
import {
  chatParams,
  imageParams,
  musicParams,
  speechParams,
  videoParams,
} from '../../wire/schemas/index.ts';
import { fieldsOf } from '../../wire/schemas/params.ts';
import { misspelledField } from '../../wire/schemas/record-schema.ts';
import { nearestName } from '../../wire/types/nearest-name.ts';
import { UsageError } from './arguments.ts';

/** The documented body of each kind. */
export const paramSchemas = {
  image: imageParams,
  video: videoParams,
  music: musicParams,
  speech: speechParams,
  chat: chatParams,
} as const;

/** The field of one of these kinds that an option was probably meant to set. */
export function nearestField(
  option: string,
  kinds: readonly (keyof typeof paramSchemas)[],
): string | undefined {
  const fields = kinds.flatMap((kind) => Object.keys(fieldsOf(paramSchemas[kind])));
  return nearestName(option, [...new Set(fields)]);
}

/** What to do about a name that is refused. */
const advice = 'To send this name as it is, use --field in place of --param';

/**
 * Refuses params that are named like an option of the client, which would have no effect, and those whose name, or that of a field inside, is probably a misspelled one: the service would ignore it and
 * charge for something else. All other unknown names pass, because models have fields of their own.
 *
 * @throws `UsageError` that names the right one.
 */
export function checkParamNames(
  kind: keyof typeof paramSchemas,
  params: Readonly<Record<string, unknown>>,
): void {
  const option = optionAmong(params);
  if (option !== undefined) {
    const own =
      option === 'idempotencyKey' ? '; use --idempotency-key, where a command has it' : '';
    throw new UsageError(
      `--param ${option} is an option of the client, not a field${own}. ${advice}`,
    );
  }
  for (const [name, value] of Object.entries(params)) {
    // It is for fields of any name.
    if (name === 'extra_body') continue;
    const { error } = paramSchemas[kind].safeParse({ [name]: value });
    const misspelled = misspelledField(error?.issues ?? []);
    if (misspelled === undefined) continue;
    const field = misspelled.path.join('.');
    throw new UsageError(
      `--param ${field}: unknown field. Did you mean ${misspelled.nearest}? ${advice}`,
    );
  }
}
