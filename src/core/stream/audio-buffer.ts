import { keepField } from './keep-field.ts';

/** Adds a piece of a message's audio. Its data and its transcript are concatenated. */
export function addAudio(
  audio: Record<string, unknown>,
  delta: Readonly<Record<string, unknown>>,
): void {
  for (const name in delta) {
    const value = delta[name];
    const isText = typeof value === 'string' && /^(data|transcript)$/.test(name);
    const { [name]: earlier = '' } = audio;
    if (isText && typeof earlier === 'string') audio[name] = earlier + value;
    else keepField(audio, name, value);
  }
}

/** A copy of the audio received so far, with data that is one encoding. */
export function copyAudio(audio: Record<string, unknown>): Record<string, unknown> {
  const { data } = audio;
  return typeof data === 'string' ? { ...audio, data: joinBase64(data) } : { ...audio };
}

/**
 * Base64 that was received in pieces, as one encoding. Some services split one encoding anywhere; others encode every
 * piece on its own, so that padding, which no decoder accepts in the middle, ends a piece.
 */
function joinBase64(pieces: string): string {
  const encodings = pieces.match(/[^=]+=*/g) ?? [];
  if (encodings.length < 2) return pieces;
  try {
    return btoa(encodings.map((encoding) => atob(encoding)).join(''));
  } catch {
    // Not base64.
    return pieces;
  }
}
