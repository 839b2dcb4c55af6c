/** Examples of the API reference for `polygate/mock/node`. */
import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen, recordings } from 'polygate/mock/node';

// For listen, ListenOptions, MockServer
export async function serve() {
  const server = await listen(createMockGateway(), { port: 8787 });
  console.log(`Listening at ${server.baseURL}`);
  await server.close();
}

// For RecordingOptions, Tape, RecordedRequest
export async function replay() {
  await using tape = recordings('test/tape.jsonl', { mode: 'auto' });
  const gateway = new Polygate({ fetch: tape.fetch });
  await gateway.models.list();
  console.log(tape.mode, tape.unused.length);
}
