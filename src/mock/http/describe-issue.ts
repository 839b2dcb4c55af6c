import { isRecord } from '../../wire/types/type-guards.ts';

/** The parts of a validation issue that this file reads. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  /** The issues of each member of a union. */
  readonly errors?: readonly (readonly Issue[])[];
}

/** Describes the first issue in a sentence that names the field. */
export function describeIssue(issues: readonly Issue[], body: unknown): string {
  const [issue] = issues;
  if (issue === undefined) return 'The body does not match the documented schema';
  if (issue.path.length === 0) return 'The body must be a JSON object';
  const field = pathText(issue.path);
  if (valueAt(body, issue.path) === undefined) return `\`${field}\` is required`;
  return `\`${field}\` ${rule(issue)}`;
}

function rule(issue: Issue): string {
  if (issue.errors !== undefined) {
    const rules = issue.errors.map(([first]) => (first === undefined ? '' : rule(first)));
    return rules.join(' or ').replaceAll(' or must be', ' or');
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    return 'must be an integer within ±2^53';
  }
  if (issue.values !== undefined) {
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  }
  switch (issue.expected) {
    case 'string':
      return 'must be a string';
    case 'number':
      return 'must be a number';
    case 'int':
      return 'must be an integer';
    case 'boolean':
      return 'must be true or false';
    case 'array':
      return 'must be an array';
    case 'object':
    case 'record':
      return 'must be an object';
    default:
      return 'has a value of the wrong type';
  }
}

/** Formats a path, such as `messages[0].role`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part];
    else if (isRecord(value) && Object.hasOwn(value, part)) value = value[String(part)];
    else return undefined;
  }
  return value;
}
