import type { Model } from 'polygate';

import { unknownName, UsageError } from '../../arguments.ts';

/** What the rows of a batch generate. */
export const batchKinds = ['image', 'video', 'music', 'speech', 'chat'] as const;

/** What the rows of a batch generate. */
export type BatchKind = (typeof batchKinds)[number];

/** Parses `--kind`. Throws a `UsageError` if it is invalid. */
export function parseKind(text: string | undefined): BatchKind | undefined {
  if (text === undefined) return undefined;
  const kind = batchKinds.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`--kind: ${unknownName('kind', text, batchKinds)}`);
}

/** What a model generates. The service has one type for music and speech, which differ in how they are billed. */
export function kindOfModel({ type, pricing }: Model): BatchKind | undefined {
  // The service may leave out any part of the record, whatever the types say.
  const known: { profiles?: { api?: { billingUnit?: unknown } } } | undefined = pricing;
  if (type === 'audio') {
    return known?.profiles?.api?.billingUnit === 'character' ? 'speech' : 'music';
  }
  return batchKinds.find((kind) => kind === type);
}
