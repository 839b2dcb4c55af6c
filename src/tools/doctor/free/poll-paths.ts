import { APIError } from 'polygate';
import type { Polygate } from 'polygate';

import { parseErrorBody } from '../../../internal.ts';
import { codeIs } from '../../../wire/codes.ts';
import type { Endpoint } from '../../../wire/endpoints/endpoint.ts';
import { endpoints } from '../../../wire/endpoints/index.ts';
import { needed } from '../needed-options.ts';
import type { FoundPath } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import { recordCalls } from '../run/context.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { failureOf } from '../run/failure.ts';
import type { AssumptionId, Report } from '../run/findings.ts';
import { documentPaths } from './public-endpoints.ts';

/** Id of a task that does not exist. */
const id = 'polygate-doctor-0';

interface TaskPath {
  readonly assumption: AssumptionId;
  readonly name: FoundPath['name'];
  readonly namespace: (client: Polygate) => Polygate['videos'] | Polygate['images'];
  /** The polls that the client knows. It may be configured not to send them. */
  readonly polls: readonly Endpoint[];
  /** Further poll paths, of services like this one. */
  readonly guesses: readonly string[];
  /** Paths in the service's document that may be poll paths. */
  readonly documented: RegExp;
}

const kinds: readonly TaskPath[] = [
  {
    assumption: 'A1',
    name: 'videoTask',
    namespace: (client) => client.videos,
    polls: endpoints.videoPolls,
    guesses: ['/v1/videos/tasks/{id}', '/v1/video/tasks/{id}'],
    documented: /^(?!.*(image|audio)).*(videos?|tasks?|jobs?)\b/i,
  },
  {
    assumption: 'A2',
    name: 'imageTask',
    namespace: (client) => client.images,
    polls: endpoints.imagePolls,
    guesses: ['/v1/images/{id}'],
    documented: /^(?!.*(video|audio)).*(images?|tasks?|jobs?)\b/i,
  },
];

/** Which poll paths exist, by polling a task that does not. Assumptions A1 and A2. */
export const pollPaths: Check = {
  id: 'poll-paths',
  title: 'Poll paths',
  requires: 'key',
  assumptions: [
    { id: 'A1', aspect: 'video', ifOpen: 'Not tested.' },
    { id: 'A2', aspect: 'image', ifOpen: { later: true } },
  ],
  async run(context, report) {
    const { client, signal } = context;
    const control = await failureOf(
      client.request({ method: 'GET', path: `/v1/polygate-doctor/${id}` }, { signal }),
    );
    for (const kind of kinds) {
      const search = await searchPath(context, kind, control);
      reportPath(report.on(kind.assumption), search, control);
    }
  },
};

/**
 * Searches for the poll path of a kind of tasks: where the client polls, then in the document, then at likely paths.
 */
async function searchPath(
  context: DiagnosisContext,
  { name, namespace, polls, guesses, documented }: TaskPath,
  control: unknown,
): Promise<FoundPath> {
  const { signal } = context;
  const states = new Map<string, PathState>();
  // The client tries its own templates, and the first of them is the one that it is configured with.
  const { client, calls } = recordCalls(context.client);
  await failureOf(namespace(client).retrieve(id, { signal }));
  for (const { template, error } of calls) {
    states.set(template, probePath(error, control));
  }
  const [assumed = ''] = states.keys();
  const exists = () => [...states].find(([, state]) => state === 'exists')?.[0];
  if (states.get(assumed) !== 'exists') {
    const inDocument = await documentPaths(context, documented);
    for (const template of [...inDocument, ...polls.map(({ path }) => path), ...guesses]) {
      if (exists() !== undefined || states.has(template)) continue;
      const path = template.replace('{id}', id);
      const error = await failureOf(context.client.request({ method: 'GET', path }, { signal }));
      states.set(template, probePath(error, control));
    }
  }
  const found = exists();
  return {
    name,
    assumed,
    isAssumedMissing: states.get(assumed) === 'missing',
    found,
    isTried: calls.some(({ template }) => template === found),
  };
}

function reportPath(report: Report, search: FoundPath, control: unknown): void {
  const { name, assumed, found } = search;
  // Only an image may be paid for, whose task shows its path.
  if (found === undefined && name === 'imageTask') return;
  const need = needed.pollPath(search);
  if (found === undefined) {
    const detail = isComparable(control)
      ? 'The service responds to an unknown task as it does to an unknown path.'
      : 'The error responses of the service do not show which paths exist.';
    report.skipped(detail, need);
  } else if (need === undefined) {
    report.ok(`GET ${found} exists.`);
  } else if (need.option) {
    report.warning(`GET ${assumed} does not exist, but GET ${found} does.`, need);
  } else {
    const detail = `GET ${assumed} responds, but not in a way that shows whether it exists.`;
    report.warning(`${detail} GET ${found} exists.`, need);
  }
}

/** Whether a path exists, as far as the response to a request for an unknown task shows. */
type PathState = 'exists' | 'missing' | 'unclear';

/** Reads from the error of a poll whether its path exists. `control` is the error of a path that does not exist. */
function probePath(error: unknown, control: unknown): PathState {
  if (!APIError.is(error)) return 'unclear';
  const { status, code } = error;
  if (codeIs(code, 'task')) return 'exists';
  if (!isComparable(control)) return 'unclear';
  if (status === 404) return signatureOf(error) === signatureOf(control) ? 'missing' : 'exists';
  if (status === 405 || status === control.status) return 'missing';
  return status === 400 || status === 422 ? 'exists' : 'unclear';
}

/** Whether an error shows how the service responds to a path that does not exist. An outage and a rate limit do not. */
const isComparable = (control: unknown): control is APIError =>
  APIError.is(control) && control.status < 500 && control.status !== 429;

/** What an error response says, apart from the path and the id that it may repeat. */
function signatureOf({ status, code, body }: APIError): string {
  const { message = '' } = parseErrorBody(typeof body === 'string' ? body : JSON.stringify(body));
  const words = message.replaceAll(id, '').split(/\s+/);
  return [status, code, ...words.filter((word) => !word.includes('/'))].join(' ');
}
