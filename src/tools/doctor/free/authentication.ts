import type { Account } from 'polygate';

import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { errorResponse, isAboutEndpoint, messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';

/** Whether the service accepts the API key. */
export const authentication: Check<Account> = {
  id: 'authentication',
  title: 'API key',
  requires: 'gateway',
  async run(context, report, keep) {
    const { client, signal } = context;
    try {
      keep((await context.read(client.account.retrieve({ signal }))).data);
    } catch (error) {
      return tryModels(context, report, error);
    }
    context.acceptedKey();
    report.ok('The service accepts the API key.');
  },
};

/** Whether a key that failed to read the account is accepted for the models. */
async function tryModels(context: DiagnosisContext, report: Report, error: unknown): Promise<void> {
  const { client, signal } = context;
  context.missedKey('The API key could not be used.');
  const need = needed.apiKey(error);
  if (need) return report.failed(messageOf(error), need);
  context.missedKey('The API key could not be checked.');
  const response = errorResponse(error);
  if (response === undefined || !isAboutEndpoint(error)) throw error;
  const { status } = response.meta;
  await context.read(client.models.list({}, { signal }));
  context.acceptedKey();
  const detail = `The API key can list the models, but not read the account (status ${status}).`;
  // A proxy may not forward the account.
  if (status === 403) return report.ok(detail);
  const advice =
    'account.retrieve() fails, and paid checks cannot see the wallet: run doctor again, or ask the operator.';
  report.warning(detail, { advice });
}
