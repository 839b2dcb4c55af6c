import { createMockGateway } from '../../../src/mock/index.ts';
import { operationsOf } from './validator.ts';

const mock = createMockGateway();

/** The gateway's OpenAPI document. */
export const document = await (await mock.fetch(`${mock.baseURL}/v1/openapi.json`)).json();

/** The operations of the document, with their validators. */
export const operations = operationsOf(document);

const { schemas } = document.components;

const withoutNames = (route: string) => route.replaceAll(/\{\w+\}/g, '{}');
const operationsByRoute = new Map<string, any>(
  operations.map(({ route }) => {
    const [method = '', path = ''] = route.split(' ');
    return [withoutNames(route), document.paths[path][method.toLowerCase()]];
  }),
);

/** An operation of the document. The names of path parameters can differ. */
export function operationOf(route: string): any {
  return operationsByRoute.get(withoutNames(route));
}

/** The resolved parameters of an operation. */
export function parametersOf(route: string): any[] {
  return operationOf(route).parameters.map(({ $ref, ...inline }: any) =>
    $ref === undefined ? inline : document.components.parameters[$ref.split('/').at(-1)],
  );
}

/** The schema of a field, by the name of its schema and its path. */
export function fieldAt(name: string, path: string): any {
  return path.split('.').reduce((parent, part) => {
    const field = resolve(resolve(parent)?.properties?.[part.replace('[]', '')]);
    return part.endsWith('[]') ? resolve(field?.items) : field;
  }, schemas[name]);
}

function resolve(schema: any): any {
  return schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)];
}

/** The JSON types that a schema accepts. */
export function typesOf(schema: any): string[] {
  const types: string[] = (schema?.anyOf ?? [schema]).map((entry: any) => entry?.type);
  return types.map((type) => (type === 'integer' ? 'number' : type));
}
