import { needed } from '../needed-options.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { describeFailure, isAboutEndpoint, statusOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { shorten } from '../text.ts';
import type { PaidTask } from './submit-image.ts';

/**
 * Which path the task was found at, and whether its receipt leads there. Assumption A2, unless unknown tasks have shown
 * it.
 */
export async function reportPollPath(
  context: DiagnosisContext,
  report: Report,
  { task, calls }: PaidTask,
): Promise<void> {
  const named = namedPath(foundPoll(calls), task.id);
  if (named === undefined) return reportTemplate(calls, report);
  // As from a receipt, which does not contain the named path.
  const { client, calls: polls } = recordCalls(context.client);
  try {
    await client.images.retrieve(task.id, { signal: context.signal });
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const path = templateOf(named, task.id) ?? named;
    const detail = `The submit names ${shorten(path, 200)} as the path of its task. A receipt does not contain it, and`;
    if (!isAboutEndpoint(error) || (statusOf(error) ?? 500) >= 500) {
      const failure = describeFailure(error);
      const rest = `polling without it failed: ${failure.detail}`;
      return report.add({ ...failure, status: 'skipped', detail: `${detail} ${rest}` });
    }
    const rest = `GET ${polls[0]?.template} does not return the task.`;
    const need = needed.namedPollPath(templateOf(named, task.id));
    return report.failed(`${detail} ${rest}`, need);
  }
  reportTemplate(polls, report);
}

/** The poll that has found the task. */
export const foundPoll = (calls: readonly RecordedCall[]): RecordedCall | undefined =>
  pollsIn(calls).find(({ error }) => error === undefined);

const pollsIn = (calls: readonly RecordedCall[]) => calls.filter(({ method }) => method === 'GET');

/** The path of a poll, if it does not follow from its template: then, the service has named it. */
function namedPath(poll: RecordedCall | undefined, id: string): string | undefined {
  const expected = poll?.template.replaceAll('{id}', encodeURIComponent(id));
  return poll?.path === expected ? undefined : poll?.path;
}

/** The template of a path that contains the id of the task. A query may belong to this task only. */
function templateOf(path: string, id: string): string | undefined {
  const parts = path.split('/');
  const isId = (part: string) => part === id || part === encodeURIComponent(id);
  if (/[?{]/.test(path) || !parts.some(isId)) return undefined;
  return parts.map((part) => (isId(part) ? '{id}' : part)).join('/');
}

function reportTemplate(calls: readonly RecordedCall[], report: Report): void {
  const found = foundPoll(calls)?.template;
  const [first] = pollsIn(calls);
  if (found === undefined || first === undefined) return;
  const need = needed.triedPollPath({ assumed: first.template, found });
  if (need === undefined) return report.ok(`GET ${found} returns the task.`);
  report.warning(`GET ${first.template} does not return the task, but GET ${found} does.`, need);
}
