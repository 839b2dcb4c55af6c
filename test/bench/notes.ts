/** Why a target is missed or nearly so, by row, with what the profile (`node test/bench/profile.ts`) shows. */
export const notes: Readonly<Record<string, string>> = {
  request:
    'Near the target on a slow machine: runs gave 1.06 to 1.63. ky is more than half of what is added: with the stand-in that browsers get in its place, runs with a ratio of 1.51 gave 1.23. It builds a Request that is never sent, which is 18 KB of the 33 KB that a call allocates over `fetch`, and the collector is the largest part of the profile (17 %). Self time of polygate: 10 %, of ky 6 %; no function of polygate takes more than 1.3 %. The signal and the options of `fetch` cost nothing that this machine shows.',
  'chunk-small':
    'Near the target, on either side of it: runs gave 1.30 to 1.55. What is over the limit is two things. The promise a chunk, the check and the look at each field: a run in which the text is not kept gives 1.13 to 1.22. And keeping the text, for `partial`, for `final()` after the loop and for the errors of broken streams: 0.2 to 0.3, nearly all of it in the collector, for what outlives a stream a little is moved to the old generation and marked there. A text of joined pieces, of one growing string, and of bytes off the heap cost the same.',
  'chunk-large':
    'Runs gave 1.10 to 1.70, by when full collections fall. Without keeping the text it is 1.0 to 1.2. Keeping 8 KB of every chunk costs 5 to 10 µs whatever it is kept as (tried: a growing string, joined pieces, bytes by TextEncoder, the bytes as they came from the network), which is page faults and the collector; the limit keeps nothing. Who wants neither `partial` nor `final()` still pays for them.',
  'first-text':
    'Near the target, on either side of it: runs gave 103 to 242 µs, of which 20 to 60 are ky (it does its part while the request is on its way, but on the same thread). It is what a request costs over `fetch`, plus a decoder, an idle timer and a parser a stream; no function stands out.',
  poll: 'A loop of nothing but `fetch` and JSON.parse that is held to 64 polls at once takes 0.58 of the naive loop, and with a signal and `no-store` 0.67: the sockets saved do not pay for more, so nothing that goes through `fetch` reaches 0.6 with anything on top. polygate takes 0.95 without ky and 1.1 with it. Self time: collector 18 to 24 %, undici 25 %, polygate 15 % (no function above 1.2 %), ky 6 %.',
  memory:
    'Nearly all of it is garbage of `fetch` that is not collected yet: answers hang on a FinalizationRegistry of Node, so that each lives until the next full collection. With all tasks at rest and collected, a task takes 4.6 KB of heap. A bare loop that is held to 64 polls at once peaks at 26 to 30 KB a task and misses 12 KB as well.',
  whole:
    'A little over the target: batches with a journal, structured output, tool runs and streams that are handed on are in it, and the parser of event streams is 1.7 KB. The bundler of `npm run size` makes 28.0 KB of it. ky is not in it: a bundle for browsers has a stand-in of five lines.',
  'chat-only':
    'With `polygate/chat`, the same client without what makes pictures, videos and sound. An app that takes the whole class carries nearly all of it, for bundlers cannot leave out a field of a class.',
  import:
    'ky makes a Request when it is imported, for which Node loads undici: that is what `fetch` would load at the first request. Loading ky with the first request was tried, and took the import down to a quarter of the first touch; but then the first request of a process waits for a disk in real time, which the fake timers of a test do not know. `npm run check` refuses an import over the target.',
};
