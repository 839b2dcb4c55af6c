import { Ajv } from 'ajv';
import formats from 'ajv-formats';

/** An operation of an OpenAPI document that can validate requests and responses. */
export interface Operation {
  /** Method and path, such as `GET /v1/account`. */
  route: string;
  /** The documented statuses; `4XX` covers every 4xx status. */
  statuses: string[];
  /** Whether a request belongs to this operation. */
  matches(method: string, path: string): boolean;
  /** The problems of a request body. */
  bodyProblems(body: unknown): string[];
  /** The problems of a response. */
  problems(response: ReceivedResponse): string[];
  /** Whether a JSON response with this status matches its schema. */
  fits(status: number, record: unknown): boolean;
}

/** A response with its complete body. */
export interface ReceivedResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** The operations of a document. */
export function operationsOf(document: any): Operation[] {
  const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
  ajv.addVocabulary(['example', ...Object.keys(document)]);
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => operation(ajv, path, method, methods[method].responses)),
  );
}

function operation(ajv: Ajv, path: string, method: string, responses: any): Operation {
  const pointer = `document#/paths/${escapePointer(path)}/${method}`;
  const check = (part: string, value: unknown, keyword = 'schema'): string[] => {
    const validate = ajv.getSchema(`${pointer}/${part}/${keyword}`);
    if (validate === undefined) return [`${part} has no schema`];
    return validate(value) ? [] : [`${part}: ${ajv.errorsText(validate.errors)}`];
  };
  const json = escapePointer('application/json');
  const stream = escapePointer('text/event-stream');
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const documentedName = (status: number): string =>
    String(status) in responses ? String(status) : `${Math.floor(status / 100)}XX`;
  return {
    route: `${method.toUpperCase()} ${path}`,
    statuses: Object.keys(responses),
    matches: (requestMethod: string, requestPath: string) =>
      requestMethod.toLowerCase() === method && pattern.test(requestPath),
    bodyProblems: (body: unknown) => check(`requestBody/content/${json}`, body),
    fits: (status: number, record: unknown) =>
      check(`responses/${documentedName(status)}/content/${json}`, record).length === 0,
    problems: ({ status, headers, text }: ReceivedResponse) => {
      const name = documentedName(status);
      const response = responses[name];
      if (response === undefined) return [`status ${status} is not documented`];
      const part = `responses/${name}`;
      const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
      if (response.content[type] === undefined) return [`content type ${type} is not documented`];
      const headerProblems = Object.entries<any>(response.headers).flatMap(
        ([header, { required }]) => {
          const value = headers.get(header);
          if (value !== null) return check(`${part}/headers/${header}`, value);
          return required === true ? [`header ${header} is missing`] : [];
        },
      );
      if (type === 'text/event-stream') {
        const media = `${part}/content/${stream}`;
        return [
          ...headerProblems,
          ...check(media, text),
          ...eventsOf(text).flatMap((event) => check(media, event, 'x-event-data-schema')),
        ];
      }
      const record = JSON.parse(text);
      return [
        ...headerProblems,
        ...codeProblems(response, record),
        ...check(`${part}/content/${json}`, record),
      ];
    },
  };
}

/** The examples of an error response are named after its codes. */
function codeProblems({ content }: any, record: any): string[] {
  const { examples } = content['application/json'];
  const code = record.error?.code;
  if (examples === undefined || code === undefined || code in examples) return [];
  return [`code ${code} is not documented`];
}

/** The JSON records of a stream, without comments and the final `[DONE]`. */
function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

/** Escapes a name for a JSON pointer in a URL fragment. */
function escapePointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
