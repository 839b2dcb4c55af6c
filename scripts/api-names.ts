import { globSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

/** Classes of which users only have instances in a client, and the names by which they use them. */
export const namespaces: Readonly<Record<string, string>> = (() => {
  const paths = globSync(['src/{base-,}client.ts', 'src/resources/*.ts'], { cwd: root });
  const classes = new Map(
    paths
      .flatMap((path) =>
        readFileSync(new URL(path, root), 'utf8').split(/^export (?:abstract )?class /m),
      )
      .map((text) => [/^\w+/.exec(text)?.[0] ?? '', text] as const),
  );
  const found: Record<string, string> = {};
  const add = (owner: string, path: string) => {
    for (const [, name, type = ''] of classes
      .get(owner)
      ?.matchAll(/^ {2}readonly (\w+): (\w+)(?:<\w+>)?;$/gm) ?? []) {
      if (!classes.has(type)) continue;
      found[type] = [found[type], `${path}.${name}`].filter(Boolean).join(', ');
      add(type, `${path}.${name}`);
    }
  };
  add('BaseClient', 'gateway');
  add('Polygate', 'gateway');
  return found;
})();

/** The group of an export of the client in the API reference, by the folder of its source. The first match counts. */
const groups: readonly (readonly [folder: RegExp, group: string])[] = [
  [/\/src\/(?:errors|paid)\//, 'Errors'],
  [/\/src\/(?:types\/tasks|core\/tasks|core\/batch|types\/charge)/, 'Tasks'],
  [/\/src\/resources\/(?:task-namespace)/, 'Tasks'],
  [/\/src\/types\/(?:chat|media|catalog|meta)/, 'Wire types'],
];

/** Returns the group of an export of the client. */
export function groupOf(source: string): string {
  return groups.find(([folder]) => folder.test(source))?.[1] ?? 'Client';
}

/** Descriptions of parameters that mean the same in every method, for methods that do not describe them. */
export const parameters: Readonly<Record<string, string>> = {
  args: 'The arguments that the model has chosen, validated against the schema.',
  call: 'The call of the model.',
  charge: 'The charge that the service has reported.',
  code: 'An error code.',
  context: 'The call, and a signal that aborts with the run.',
  describe: 'Returns the submission of an input. It must not send anything itself.',
  details: 'The fields of the error.',
  error: 'The error that has occurred.',
  event: 'What has happened.',
  id: 'Id of the task, material, voice or model.',
  idOrReceipt: 'Id of the task, or the receipt that `JSON.stringify(task)` has returned.',
  index: 'Position of the row, from 0.',
  init: 'Method, headers, body and signal, as for `fetch`.',
  input: 'A URL or path, as for `fetch`, or an input of the batch.',
  inputs: 'One input per row.',
  journal: 'The journal of the batch.',
  line: 'A line of JSON.',
  listener: 'Called with the new state after each change.',
  message: 'What has happened.',
  model: 'Id of a model.',
  ms: 'Duration in milliseconds.',
  operation: 'The call.',
  options: 'Options, which replace those of the client.',
  params: 'Fields of the request body, under the names of the service.',
  parent: 'The span that contains the new one.',
  progress: 'How far it is.',
  query: 'Filters of the list.',
  readable: 'The body of a response of your server.',
  reason: 'Becomes the `cause` of the `AbortedError`.',
  receipt: 'What `JSON.stringify(task)` has returned, parsed.',
  request: 'Method, path, query and body.',
  result: 'How the call ended.',
  run: 'The messages, rounds and charges so far.',
  send: 'Sends the request. Call it once.',
  signal: 'Ends the pause early.',
  source: 'A generation, a task, or the URL of a file.',
  stream: 'The stream of the round.',
  task: 'A task, its receipt or its id.',
  update: 'The state of the task after a poll.',
  url: 'URL of the request to your callback route.',
  value: 'Any value.',
  verification: 'Where the person is verified.',
};
