/** What streams need, in one file: a page that opens no stream does not load it. */
export { readOtherShape, readStream } from './read-stream.ts';
export { partialJsonParser } from './partial-json.ts';
export { readRelayed } from './relayed-reader.ts';
export { pullEvents } from './to-readable.ts';
