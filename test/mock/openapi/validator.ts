import { Ajv } from 'ajv';
import formats from 'ajv-formats';

/** An operation of an OpenAPI document, and what a validator makes of its answers. */
export interface Operation {
  /** Such as `GET /v1/account`. */
  route: string;
  /** The documented statuses; `4XX` stands for any. */
  statuses: string[];
  /** Whether it is the one that a request asks for. */
  matches(method: string, path: string): boolean;
  /** What is wrong with a body that was sent. */
  bodyProblems(body: unknown): string[];
  /** What is wrong with an answer. */
  problems(answer: Received): string[];
  /** Whether a JSON answer of a status fits its schema. */
  fits(status: number, record: unknown): boolean;
}

/** An answer that was read to its end. */
export interface Received {
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
  const at = `document#/paths/${escaped(path)}/${method}`;
  const check = (place: string, value: unknown): string[] => {
    const validate = ajv.getSchema(`${at}/${place}/schema`);
    if (validate === undefined) return [`${place} has no schema`];
    return validate(value) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
  };
  const json = escaped('application/json');
  const stream = escaped('text/event-stream');
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const documented = (status: number): string =>
    String(status) in responses ? String(status) : `${Math.floor(status / 100)}XX`;
  return {
    route: `${method.toUpperCase()} ${path}`,
    statuses: Object.keys(responses),
    matches: (asked: string, askedPath: string) =>
      asked.toLowerCase() === method && pattern.test(askedPath),
    bodyProblems: (body: unknown) => check(`requestBody/content/${json}`, body),
    fits: (status: number, record: unknown) =>
      check(`responses/${documented(status)}/content/${json}`, record).length === 0,
    problems: ({ status, headers, text }: Received) => {
      const name = documented(status);
      const response = responses[name];
      if (response === undefined) return [`status ${status} is not documented`];
      const place = `responses/${name}`;
      const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
      if (response.content[type] === undefined) return [`content type ${type} is not documented`];
      const ofHeaders = Object.entries<any>(response.headers).flatMap(([header, { required }]) => {
        const value = headers.get(header);
        if (value !== null) return check(`${place}/headers/${header}`, value);
        return required === true ? [`header ${header} is missing`] : [];
      });
      const records = type === 'text/event-stream' ? eventsOf(text) : [JSON.parse(text)];
      const media = type === 'text/event-stream' ? stream : json;
      return [
        ...ofHeaders,
        ...codeProblems(response, records[0]),
        ...records.flatMap((record) => check(`${place}/content/${media}`, record)),
      ];
    },
  };
}

/** The examples of an error name its codes. */
function codeProblems({ content }: any, record: any): string[] {
  const { examples } = content['application/json'];
  const code = record.error?.code;
  if (examples === undefined || code === undefined || code in examples) return [];
  return [`code ${code} is not documented`];
}

/** The records of a stream; its comments and its end have none. */
function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

/** A name as part of a JSON pointer inside an address. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
