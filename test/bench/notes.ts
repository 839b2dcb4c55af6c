/** Explanations for rows that miss or barely meet their target, and for the cost of options, based on `node test/bench/profile.ts`. */
export const notes: Readonly<Record<string, string>> = {
  request:
    'Runs ranged from 1.23 to 1.45 on a busy machine. Self time of 10,000 requests: undici 32%, garbage collection 14%, polygate 9% (of which `JSON.parse` 2%, which `raw` pays too), streams of Node 8%. Added to `raw` one by one, an abort signal costs 4 to 6%, 14 header lookups 2.5%, a timer 2%, and reading the body with a reader nothing. The rest is the promises of a call, its two limits (one attempt, and a concurrency slot), and the garbage of 13 KB that the client allocates in addition to the 70 KB of `fetch`.',
  'request-sequence':
    'Runs ranged from 1.28 to 1.4. The same work as in parallel; the fixed costs of a call weigh more when the processor switches between the client and the server for each request.',
  'chunk-small':
    'The result depends on garbage collection. Without a full collection between two streams, the ratio is 1.25 to 1.35. After one, V8 discards code that it has compiled for objects of which none is left, and closures of which none is left, so it compiles the reader and the accumulator again during each stream: 20 to 25 ms in another thread, or 1 µs per chunk of this stream. A sample accumulator that is kept halves this. Self time otherwise: `JSON.parse` 28%, garbage collection 17%, accumulating 11%, the event stream parser 8%. Accumulating is what makes `partial`, `final()` and the proof of a complete stream possible.',
  'chunk-large':
    'Keeping 8 KB per chunk for `partial` and `final()` costs 2 to 4 µs in page faults and garbage collection. `raw` keeps nothing.',
  'first-text':
    'A stream costs about 90 µs more than one fetch until its first text: 12% of the samples are in polygate, with no function above 2%. The rest is the abort signal in undici, the timers and the promises of a call, and the reader of the stream.',
  'cold-start':
    'Barely above the target. ky alone takes 1.23: the client imports it, because hooks run through it. An app that uses `polygate/chat` does not load it.',
  memory:
    'Most of it is garbage that is not collected yet. Measured after a collection, 10,000 waits that have just started occupy 3 KiB of heap each, and 2.5 KiB between two polls (over `nodeFetch`). A loop that shares 64 sockets and does nothing else reaches half of this value.',
  heap: 'A waiting task consists of a timer (0.13 KiB), four promises and their reactions (0.6), the wait, the task and its path (0.4), and the last record with its date and original fields (0.5).',
  nodeFetch:
    'Use it in servers and workers that make many requests: the global `fetch` builds a `Request`, a `Response`, `Headers` and two web streams for every request, and the client reads none of them over `nodeFetch`. What remains of a call is the work of undici, `JSON.parse` and the client itself. A program that makes a request now and then gains nothing. Do not use it with MSW, which intercepts the global `fetch` only; in browsers and at the edge it is not available.',
  http2:
    'HTTP/2 needs one connection in place of 64, but about twice the CPU time of HTTP/1.1 over `nodeFetch`: undici sends it through `node:http2`, which creates a stream and several objects of headers per request. Use it where the number of connections matters, or where the service requires it.',
  hooks:
    'With hooks, a request takes 0.6 to 1.3 times the CPU time of `raw` more, about as much as with ky alone: ky builds a `Request`, `fetch` takes it apart, and each `afterResponse` hook gets a copy of the response.',
  telemetry:
    'Measured once, in a run of its own on a busy machine, so the values can be off by a quarter. Each request and each poll has a span of its own, and each wait has one over its polls.',
  queue:
    'Adding takes a sixth of the rate of BullMQ alone, and submitting a twelfth. A submission consists of at least seven commands (read the row and the time, admit, record, change the priority, delay, fetch the next job), of which a plain job needs one. Submissions used two thirds of a core in this run. Over a whole run, with its polls, writes to the socket take 24% of the time in which the worker computes, polygate 17%, BullMQ 11%, ioredis 10% and garbage collection 5%. Letting rows ask for slots at the same time instead of one after the other was not faster.',
  limits:
    'Limits hash the body, parse it once more to find repeated fields, and call the store twice: before the request, and before its response is returned. On Redis, these are two round trips, which are most of the time that they add; in parallel, ioredis sends several commands at once.',
  full: 'ky takes 9 KiB of it: it runs hooks and is part of every bundle of the full client. The rest includes batches with a journal, `gateway.fetch`, structured output, tool runs and relayed streams; the event stream parser takes 1.7 KiB. The bundler of `npm run size` produces a slightly smaller bundle.',
  'chat-only':
    'Uses `polygate/chat`, the same client without images, videos, audio and hooks, and therefore without ky. An app that imports the `Polygate` class includes nearly all of it, because bundlers cannot remove fields of a class.',
};
