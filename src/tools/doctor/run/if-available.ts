import { isMissing, messageOf, statusOf } from './failure.ts';
import type { Report } from './report.ts';

/**
 * The result of a request to an endpoint that may be missing, or that a proxy may not forward, which is then reported.
 */
export async function ifAvailable<Result>(
  report: Report,
  request: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    const detail = `Not available: ${messageOf(error)}`;
    if (status === 403) {
      const advice = 'If a proxy is in between, it may not forward this request.';
      report.endsBecause(detail, { advice });
    } else if (isMissing(status)) {
      report.warning(detail);
    } else {
      throw error;
    }
    return undefined;
  }
}
