import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { DiagnoseOptions, Diagnosis, DiagnosisCheck } from 'polygate/doctor';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway, MockGatewayOptions } from 'polygate/mock';
import { expect } from 'vitest';

/** Every assumption. */
const allIds = Array.from({ length: 22 }, (_, index) => `A${index + 1}`);

/** Changes what passes between a client and a gateway. */
export type Wrap = (fetch: typeof globalThis.fetch, mock: MockGateway) => typeof globalThis.fetch;

/** The URL that a fetch function is called with. */
export function addressOf(input: RequestInfo | URL): string {
  return input instanceof Request ? input.url : input.toString();
}

/** A reference gateway in virtual time, and the options of a client for it. */
export function startMock(options: MockGatewayOptions = {}, wrap: Wrap = (fetch) => fetch) {
  const mock = createMockGateway({ clock: 'virtual', ...options });
  const { apiKey, baseURL, clock } = mock;
  const base: PolygateOptions = {
    apiKey,
    baseURL,
    clock,
    fetch: wrap(mock.fetch, mock),
    logLevel: 'off',
  };
  const run = async (
    diagnoseOptions: DiagnoseOptions = {},
    gateway = new Polygate(base),
  ): Promise<Diagnosis> => {
    const diagnosis = await clock.settle(diagnose({ gateway, ...diagnoseOptions }));
    checkDiagnosis(diagnosis, apiKey, diagnoseOptions.signal);
    return diagnosis;
  };
  return { mock, base, run };
}

/** What holds for every diagnosis. */
export function checkDiagnosis(diagnosis: Diagnosis, apiKey: string, signal?: AbortSignal): void {
  const { checks, ok } = diagnosis;
  expect(checks.flatMap(({ assumption }) => assumption ?? []).toSorted()).toEqual(
    allIds.toSorted(),
  );
  const ids = checks.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ok).toBe(!signal?.aborted && checks.every(({ status }) => status !== 'failed'));
  expect(JSON.stringify(diagnosis)).not.toContain(apiKey);
  for (const { detail, advice } of checks) {
    expect(`${detail} ${advice}`).not.toMatch(/\p{Cc}|\$undefined|NaN|\[object|npx polygate/u);
  }
}

/** The finding with an id. */
export function findingOf({ checks }: Diagnosis, id: string): DiagnosisCheck {
  const finding = checks.find((check) => check.id === id);
  if (finding === undefined) throw new Error(`There is no finding ${id}`);
  return finding;
}

/** The finding about an assumption. */
export function findingAbout({ checks }: Diagnosis, assumption: string): DiagnosisCheck {
  const finding = checks.find((check) => check.assumption === assumption);
  if (finding === undefined) throw new Error(`No finding about ${assumption}`);
  return finding;
}

/** The findings with a status. */
export function idsWith({ checks }: Diagnosis, status: DiagnosisCheck['status']): string[] {
  return checks.filter((check) => check.status === status).map(({ id }) => id);
}

/** What a gateway has charged, in USD. */
export const invoicedUsd = ({ invoice }: MockGateway): number =>
  Number(invoice.reduce((total, { usd }) => total + usd, 0).toFixed(9));

/** What a diagnosis has cost, or may have, in USD. */
export const possibleUsd = ({ spentUsd, unconfirmedUsd = 0 }: Diagnosis): number =>
  Number((spentUsd + unconfirmedUsd).toFixed(9));
