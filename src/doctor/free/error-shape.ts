import { APIError } from 'polygate';

import { isRecord } from '../../schemas/type-guards.ts';
import type { Check } from '../check.ts';
import { describeFailure } from '../failure.ts';

/** Which shape error bodies have. Assumption A9. */
export const errorShape: Check = {
  id: 'error-shape',
  title: 'Error responses',
  needs: 'key',
  assumptions: [['A9']],
  async *run({ client, signal }) {
    const assumption = 'A9';
    try {
      await client.models.retrieve('polygate-doctor-unknown-model', { signal });
    } catch (error) {
      if (!APIError.is(error) || error.status === 429) throw error;
      const { status, code, body } = error;
      const { error: envelope } = isRecord(body) ? body : {};
      const advice = 'Distinguish errors by their class and status, not by their code.';
      if (status !== 404 && status !== 400) {
        const { detail } = describeFailure(error);
        yield { assumption, status: 'warning', detail: `An unknown model fails with ${detail}` };
      } else if (!isRecord(body)) {
        const detail = 'Errors have no JSON body, so the client knows only their status.';
        yield { assumption, status: 'warning', detail, advice };
      } else if (code === undefined) {
        const detail = 'Errors have another shape than documented: a message, but no code.';
        yield { assumption, status: 'warning', detail, advice };
      } else if (!isRecord(envelope)) {
        const detail = `Errors have another shape than documented, which the client reads: code ${code}.`;
        yield { assumption, status: 'ok', detail };
      } else {
        const detail = `Errors have the documented shape: code ${code}, status ${status}.`;
        yield { assumption, status: 'ok', detail };
      }
      return;
    }
    const detail = 'The service returns a record for a model that does not exist.';
    yield { assumption, status: 'warning', detail };
  },
};
