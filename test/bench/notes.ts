/** Why a target is missed or nearly so, by row, with what the profile (`node test/bench/profile.ts`) shows. */
export const notes: Readonly<Record<string, string>> = {
  request:
    'Near the target: three runs on a busy machine gave 1.24, 1.48 and 1.64. Self time: undici 35 %, engine 33 % (garbage collection 13 %), polygate 7 %, ky 5 %. No function of polygate takes more than 1.2 %. ky is the largest part that could go: it builds a Request that is never sent. With the stand-in that browsers get in its place, the same request took about 0.9 of the time. Leaving out the signal, or reading the body by `text()`, changed less than this machine shows.',
  'chunk-small':
    'Self time: polygate 60 %, engine 18 % (garbage collection 9 %), undici 6 %. Half of polygate is the accumulator: `keep` 16 %, `add` 16 % and `addDelta` 4 % copy the fields of every chunk into a completion that nobody may ever ask for. JSON.parse is 13 %, taking events from the parser 5 %.',
  'chunk-large':
    'Self time: engine 32 % (garbage collection 17 %), polygate 24 %, undici 9 %. JSON.parse is 8 %; the events, gathered in a list a network read before they are handed on, 4 %; the accumulator 5 %.',
  'first-text':
    'Near the target: two runs on a busy machine gave 103 and 171 µs. It is what a request costs over `fetch`, plus a decoder, an idle timer and a parser a stream; no single part stands out.',
  poll: 'A poll is one `fetch`, and a loop of nothing but `fetch` and JSON.parse held to 64 polls at once takes 0.7 to 0.9 of the naive loop: the sockets saved do not pay for more than that, so nothing that goes through `fetch` comes near 0.6 here. Self time of polygate: engine 31 % (garbage collection 14 %), undici 26 %, polygate 15 % (finding the URLs of a record 2.5 %, nothing else above 1.3 %), ky 6 % and what its unsent Request costs undici and the collector; without ky a poll took about 0.9 of the time.',
  memory:
    'Nearly all of it is garbage of `fetch` that is not collected yet. With 10 000 tasks at rest and collected, a task takes 4.6 KB of heap with polygate, 12 KB with the naive loop and 1.5 KB with that loop held to 64 polls at once; their peaks were 26, 48 and 21 KB. So the peak follows the collector rather than what a task keeps, and a bare loop misses 12 KB as well.',
  whole:
    'A little over the target: batches with a journal, structured output, tool runs and streams that are handed on came in together. ky is not in it: a bundle for browsers has a stand-in of five lines.',
  'chat-only':
    'The class has all nine namespaces in it, and bundlers cannot leave out a field of a class, so such an app carries nearly the whole client. No part is large: of 67 KB minified the parser of event streams is 4.4 KB, and no file of polygate is over 3 KB. What would go are batches (6 KB), downloads, materials and estimates, and only with another shape of the API.',
  import:
    'ky makes a Request when it is imported, which is what makes Node load undici: `fetch alone` is that part.',
};
