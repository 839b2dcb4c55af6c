import type { PolygateOptions } from 'polygate';

/** Maximum length of a line of code. */
const maxLength = 80;

/** Formats options as code that creates a client with them. */
export function clientCode(options: PolygateOptions): string {
  return `const gateway = new Polygate(${formatFields(options, '')});`;
}

/** Formats an object with one line per field. */
function formatFields(value: object, indent: string): string {
  const inner = `${indent}  `;
  const lines = fieldsOf(value).map(([name, field]) => {
    const line = `${inner}${nameOf(name)}: ${formatInline(field)},`;
    const fits = line.length <= maxLength || typeof field !== 'object' || field === null;
    return fits ? line : `${inner}${nameOf(name)}: ${formatFields(field, inner)},`;
  });
  return ['{', ...lines, `${indent}}`].join('\n');
}

function formatInline(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  const fields = fieldsOf(value).map(([name, field]) => `${nameOf(name)}: ${formatInline(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function fieldsOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Quotes a string as the code in the documentation does: with single quotes. */
function quote(text: string): string {
  const content = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${content}'`;
}
