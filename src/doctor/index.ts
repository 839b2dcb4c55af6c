import type { Polygate, PolygateOptions } from 'polygate';

import type { DiagnoseOptions, Diagnosis, DiagnosisCheck } from './diagnosis.ts';

export type { CheckStatus, DiagnoseOptions, Diagnosis, DiagnosisCheck } from './diagnosis.ts';

/** Stand-in. */
export async function diagnose({
  gateway,
  maxSpendUsd,
  signal,
  onStart,
  onCheck,
}: DiagnoseOptions & { gateway: Polygate }): Promise<Diagnosis> {
  const checks: DiagnosisCheck[] = [];
  const report = (check: DiagnosisCheck): void => {
    checks.push(check);
    onCheck?.(check);
  };
  const attempt = async (id: string, title: string, run: () => Promise<string>): Promise<void> => {
    if (signal?.aborted) {
      report({
        id,
        title,
        status: 'skipped',
        detail: 'The run was aborted before this check ended.',
      });
      return;
    }
    onStart?.({ id, title });
    try {
      report({ id, title, status: 'ok', detail: await run() });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      report({
        id,
        title,
        status: signal?.aborted ? 'skipped' : 'failed',
        detail,
        advice: 'Check it.',
      });
    }
  };
  await attempt('reachable', 'Service is reachable', async () => {
    await gateway.public.status({}, { signal });
    return 'The service responded to GET /v1/status.';
  });
  await attempt('wallet', 'Balance of the account', async () => {
    const { id } = { id: await gateway.account.retrieve({ signal }) };
    return `The balance is readable. ${JSON.stringify(id).slice(0, 120)}`;
  });
  const header = {
    id: 'header-prefix.request-id',
    title: 'Request id header',
    assumption: 'A10',
  } as const;
  const response = await gateway.fetch('/v1/account').catch(() => undefined);
  if (response?.headers.has('x-trace-id')) {
    const option = { requestIdHeader: 'x-trace-id', paths: { imageTask: '/v1/images/tasks/{id}' } };
    report({
      ...header,
      status: 'warning',
      detail: 'x-trace-id',
      advice: 'Set requestIdHeader.',
      option,
    });
  } else {
    report({ ...header, status: 'ok', detail: 'x-request-id' });
  }
  const detail =
    maxSpendUsd === undefined ? 'It costs money: set a maximum spend.' : 'No price fits.';
  for (const assumption of ['A1', 'A2'] as const) {
    report({
      id: 'image-task',
      title: 'Poll path of image generations',
      status: 'skipped',
      assumption,
      detail,
    });
  }
  return { ok: checks.every(({ status }) => status !== 'failed'), spentUsd: 0, checks };
}

/** Stand-in. */
export function optionsOf({ checks }: Pick<Diagnosis, 'checks'>): PolygateOptions {
  return Object.assign({}, ...checks.map(({ option }) => option));
}
