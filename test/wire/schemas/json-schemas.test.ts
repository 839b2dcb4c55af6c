import { expect, test } from 'vitest';
import { z } from 'zod';

import { createMockGateway } from '../../../src/mock/index.ts';
import * as shapes from '../../../src/wire/generated/index.ts';
import * as bodies from '../../../src/wire/schemas/bodies.ts';
import * as exported from '../../../src/wire/schemas/index.ts';

const schemas: Record<string, z.core.$ZodType> = {
  ...exported,
  ...bodies,
  anthropicModelListRecord: shapes.anthropicModelList,
  capabilitiesRecord: shapes.capabilities,
  changelogRecord: shapes.changelog,
  errorBodyRecord: shapes.errorBody,
  errorCatalogRecord: shapes.errorCatalog,
  errorDetailRecord: shapes.errorDetail,
  errorEnvelopeRecord: shapes.errorEnvelope,
  geminiModelListRecord: shapes.geminiModelList,
  keyBalanceErrorEnvelopeRecord: shapes.keyBalanceErrorEnvelope,
  materialPageRecord: shapes.materialPageRecord,
  modelListRecord: shapes.modelListRecord,
  openApiDocumentRecord: shapes.openApiDocument,
  pricingCatalogRecord: shapes.pricingCatalog,
  pricingRecord: shapes.pricing,
  rateLimitPolicyRecord: shapes.rateLimitPolicy,
  serviceStatusRecord: shapes.serviceStatus,
  usage: shapes.chatUsage,
  voiceCreationRecord: shapes.voiceCreation,
  voiceListRecord: shapes.voiceListRecord,
};

test.each(['input', 'output'] as const)(
  'the %s of every schema is the same JSON schema as before',
  async (io) => {
    const all = Object.entries(schemas).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
    ]);
    await expect(textOf(Object.fromEntries(all))).toMatchFileSnapshot(`json-schemas-${io}.snap`);
  },
);

test('the OpenAPI document is the same as before', async () => {
  const mock = createMockGateway();
  const response = await mock.fetch(`${mock.baseURL}/v1/openapi.json`);
  await expect(textOf(await response.json())).toMatchFileSnapshot('openapi.snap');
});

/** JSON with the fields of all objects in the same order, and lists of names as sets. */
function textOf(value: unknown): string {
  const sort = (name: string, part: unknown): unknown => {
    if (Array.isArray(part))
      return name === 'required' ? part.toSorted((a, b) => (a < b ? -1 : 1)) : part;
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return `${JSON.stringify(value, sort, 1)}\n`;
}
