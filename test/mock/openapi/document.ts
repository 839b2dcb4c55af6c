import { createMockGateway } from '../../../src/mock/index.ts';
import { operationsOf } from './validator.ts';

const mock = createMockGateway();

/** The gateway's description of itself. */
export const document = await (await mock.fetch(`${mock.baseURL}/v1/openapi.json`)).json();

/** Its operations, with a validator. */
export const operations = operationsOf(document);

const { schemas } = document.components;

const nameless = (route: string) => route.replaceAll(/\{\w+\}/g, '{}');
const described = new Map<string, any>(
  operations.map(({ route }) => {
    const [method = '', path = ''] = route.split(' ');
    return [nameless(route), document.paths[path][method.toLowerCase()]];
  }),
);

/** An operation as the document has it; names of path parameters are free. */
export function operationOf(route: string): any {
  return described.get(nameless(route));
}

/** The parameters of an operation. */
export function parametersOf(route: string): any[] {
  return operationOf(route).parameters.map(({ $ref, ...own }: any) =>
    $ref === undefined ? own : document.components.parameters[$ref.split('/').at(-1)],
  );
}

/** The schema of a field of a named schema, by its path. */
export function fieldAt(name: string, path: string): any {
  return path.split('.').reduce((holder, part) => {
    const field = resolved(resolved(holder)?.properties?.[part.replace('[]', '')]);
    return part.endsWith('[]') ? resolved(field?.items) : field;
  }, schemas[name]);
}

function resolved(schema: any): any {
  return schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)];
}

/** The JSON types that a schema takes. */
export function typesOf(schema: any): string[] {
  const types: string[] = (schema?.anyOf ?? [schema]).map((entry: any) => entry?.type);
  return types.map((type) => (type === 'integer' ? 'number' : type));
}
