/** Explanations for rows that miss or barely meet their target, and for the cost of hooks, based on `node test/bench/profile.ts`. */
export const notes: Readonly<Record<string, string>> = {
  hooks:
    'With hooks, a request takes 0.7 to 1.6 times the CPU time of `raw` more, about as much as with ky alone: ky builds a `Request`, `fetch` takes it apart, and each `afterResponse` hook gets a copy of the response.',
  full: 'ky takes 9 KiB of it: it runs hooks and is part of every bundle of the full client. The rest includes batches with a journal, structured output, tool runs and relayed streams; the event stream parser takes 1.7 KiB. The bundler of `npm run size`, produces a slightly smaller bundle.',
  'chat-only':
    'Uses `polygate/chat`, the same client without images, videos, audio and hooks, and therefore without ky. An app that imports the `Polygate` class includes nearly all of it, because bundlers cannot remove fields of a class.',
};
