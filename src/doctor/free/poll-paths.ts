import type { Polygate, PolygateOptions } from 'polygate';

import type { AssumptionId, Check, Findings } from '../check.ts';
import type { DiagnosisContext } from '../context.ts';
import { errorResponse } from '../failure.ts';
import { recordCalls } from '../recorder.ts';
import { documentPaths } from './document-paths.ts';
import { probePath, signatureOf } from './probe-path.ts';
import type { PathState } from './probe-path.ts';

/** Id of a task that does not exist. */
const id = 'polygate-doctor-0';

interface TaskPath {
  readonly assumption: AssumptionId;
  readonly name: 'videoTask' | 'imageTask';
  readonly namespace: (client: Polygate) => Polygate['videos'] | Polygate['images'];
  /** Poll paths of services like this one. */
  readonly candidates: readonly string[];
  /** Paths in the service's document that may be poll paths. */
  readonly documented: RegExp;
}

const kinds: readonly TaskPath[] = [
  {
    assumption: 'A1',
    name: 'videoTask',
    namespace: (client) => client.videos,
    candidates: [
      '/v1/videos/{id}',
      '/v1/video/generations/{id}',
      '/v1/videos/generations/{id}',
      '/v1/videos/tasks/{id}',
      '/v1/video/tasks/{id}',
    ],
    documented: /^(?!.*(image|audio)).*(videos?|tasks?|jobs?)\b/i,
  },
  {
    assumption: 'A2',
    name: 'imageTask',
    namespace: (client) => client.images,
    candidates: ['/v1/images/tasks/{id}', '/v1/images/generations/{id}', '/v1/images/{id}'],
    documented: /^(?!.*(video|audio)).*(images?|tasks?|jobs?)\b/i,
  },
];

/** Which poll paths exist, by polling a task that does not. Assumptions A1 and A2. */
export const pollPaths: Check = {
  id: 'poll-paths',
  title: 'Poll paths',
  needs: 'key',
  assumptions: [['A1']],
  async *run(context) {
    const { client, signal } = context;
    const control = await failureOf(
      client.request({ method: 'GET', path: `/v1/polygate-doctor/${id}` }, { signal }),
    );
    for (const kind of kinds) yield* findPath(context, kind, control);
  },
};

async function* findPath(
  context: DiagnosisContext,
  { assumption, name, namespace, candidates, documented }: TaskPath,
  control: unknown,
): Findings {
  const { signal } = context;
  const states = new Map<string, PathState>();
  // The client tries its own templates, and the first of them is the one that it is configured with.
  const recorder = recordCalls();
  const client = context.client.withOptions({ telemetry: recorder.telemetry });
  await failureOf(namespace(client).retrieve(id, { signal }));
  for (const { template, error } of recorder.calls) {
    states.set(template, probePath(error, control, id));
  }
  const [assumed = ''] = states.keys();
  const probe = async (template: string) => {
    if (states.has(template)) return;
    const path = template.replace('{id}', id);
    const error = await failureOf(context.client.request({ method: 'GET', path }, { signal }));
    states.set(template, probePath(error, control, id));
  };
  const exists = () => [...states].find(([, state]) => state === 'exists')?.[0];
  if (states.get(assumed) !== 'exists') {
    const inDocument = await documentPaths(context, documented);
    for (const template of [...inDocument, ...candidates]) {
      if (exists() === undefined) await probe(template);
    }
  }
  const found = exists();
  if (found === undefined) {
    // The task itself will show it, if one is paid for.
    if (assumption !== 'A1') return;
    const detail = signatureOf(control, id)
      ? 'The service responds to an unknown task as it does to an unknown path.'
      : 'The error responses of the service do not show which paths exist.';
    const advice = 'If waiting for a video fails with a 404, set paths.videoTask.';
    yield { assumption, status: 'skipped', detail, advice };
  } else if (found === assumed) {
    yield { assumption, status: 'ok', detail: `GET ${found} exists.` };
  } else if (states.get(assumed) !== 'missing') {
    yield {
      assumption,
      status: 'warning',
      detail: `GET ${assumed} responds, but not in a way that shows whether it exists. GET ${found} exists.`,
      advice: `Run doctor again. If waiting for a task fails, set paths.${name}.`,
    };
  } else {
    const isTried = recorder.calls.some(({ template }) => template === found);
    const option: PolygateOptions = { paths: { [name]: found } };
    context.adopt(option);
    yield {
      assumption,
      status: 'warning',
      detail: `GET ${assumed} does not exist, but GET ${found} does.`,
      advice: `Set paths.${name}. Without it, the client ${isTried ? 'sends failing polls first' : 'does not find its tasks'}.`,
      option,
    };
  }
}

/** The error of a request that should fail; undefined if it succeeds. An error without a response is thrown. */
async function failureOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (errorResponse(error) === undefined) throw error;
    return error;
  }
}
