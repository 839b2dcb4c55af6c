/**
 * When the next step of a row is due: after a delay, when its queue is resumed, or never, because the row has ended.
 */
export type NextTime =
  | { readonly kind: 'end' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'when-resumed' };

export const end = { kind: 'end' } as const satisfies NextTime;

export const whenResumed = { kind: 'when-resumed' } as const satisfies NextTime;

export const after = (delayMs: number): NextTime => ({ kind: 'delay', delayMs });
