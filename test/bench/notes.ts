/** Why rows miss their target or another client is better, based on `node test/bench/profile.ts`. */
export const notes: Readonly<Record<string, string>> = {
  request:
    '`fetch` itself charges for an abort signal, a timer and the headers that are read: `node test/bench/floor.ts` measures it. The rest is the promises of a call.',
  'request-sequence': 'The same, which weighs more than in parallel.',
  'chunk-small':
    'A garbage collection between two streams discards compiled code. Accumulating proves that a stream is complete.',
  'chunk-large': 'Chunks are kept for `partial` and `final()`. `raw` keeps nothing.',
  'first-text': 'The abort signal, the timers and the promises of a call.',
  'cold-start': 'Parsing and compiling the files of the client. `polygate/chat` loads fewer.',
  memory:
    'Most of it is garbage that is not collected yet: 10,000 waits that have just started occupy 3 KiB each, and 2.5 KiB between two polls.',
  heap: 'A timer, four promises, and the last record.',
};
