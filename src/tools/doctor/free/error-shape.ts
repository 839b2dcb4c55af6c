import { APIError } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';
import { failureOf, messageOf } from '../run/failure.ts';

/** Which shape error bodies have. Assumption A9. */
export const errorShape: Check = {
  id: 'error-shape',
  title: 'Error responses',
  requires: 'key',
  assumptions: [{ id: 'A9', ifOpen: 'Not tested.' }],
  async run({ client, signal }, report) {
    const about = report.on('A9');
    const error = await failureOf(
      client.models.retrieve('polygate-doctor-unknown-model', { signal }),
    );
    if (error === undefined) {
      return about.warning('The service returns a record for a model that does not exist.');
    }
    if (!APIError.is(error) || error.status === 429) throw error;
    const { status, code, body } = error;
    const { error: envelope } = isRecord(body) ? body : {};
    const advice = 'Distinguish errors by their class and status, not by their code.';
    if (status !== 404 && status !== 400) {
      about.warning(`An unknown model fails with ${messageOf(error)}`);
    } else if (!isRecord(body)) {
      about.warning('Errors have no JSON body, so the client knows only their status.', { advice });
    } else if (code === undefined) {
      const detail = 'Errors have another shape than documented: a message, but no code.';
      about.warning(detail, { advice });
    } else if (!isRecord(envelope)) {
      about.ok(`Errors have another shape than documented, which the client reads: code ${code}.`);
    } else {
      about.ok(`Errors have the documented shape: code ${code}, status ${status}.`);
    }
  },
};
