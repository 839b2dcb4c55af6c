import { APIError } from 'polygate';
import type { Polygate } from 'polygate';

import { isUncharged } from '../../internal.ts';
import { nearestName } from '../../wire/types/nearest-name.ts';
import type { BatchKind } from './params.ts';

/** A request that the service has rejected. */
interface RejectedRequest {
  readonly kind: BatchKind;
  /** The type of its models, for `polygate models --type`. */
  readonly type: string;
  readonly model: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Any of these fields sets a voice. */
const voiceFields = ['voice_id', 'voice', 'timber_weights'];

/**
 * What to do about a rejection, if the models or voices of the service explain it; undefined otherwise. Asks the service for
 * its models, which costs nothing.
 */
export async function rejectionHint(
  error: unknown,
  gateway: Polygate,
  { kind, type, model, params }: RejectedRequest,
): Promise<string | undefined> {
  if (!APIError.is(error) || ![400, 404, 422].includes(error.status) || !isUncharged(error)) return;
  const list = `npx polygate models --type ${type}`;
  const known = await gateway.models.list({}, { timeout: 5000, maxRetries: 0 }).then(
    ({ data }) => data,
    () => [],
  );
  if (known.length > 0 && !known.some(({ id }) => id === model)) {
    const sameType = known.filter((other) => other.type === type).map(({ id }) => id);
    const nearest =
      nearestName(model, sameType) ??
      nearestName(
        model,
        known.map(({ id }) => id),
      );
    const question = nearest === undefined ? '' : `Did you mean ${nearest}? `;
    return `${question}${list} lists the models of your API key.`;
  }
  const needsVoice = kind === 'speech' && !voiceFields.some((name) => Object.hasOwn(params, name));
  return needsVoice && /voice/i.test(error.message)
    ? `Set a voice with --voice <id>, or with --param voice_id=<id>. npx polygate voices -m ${model} lists them, with samples.`
    : undefined;
}
