const maxWidth = 80;

/** Code to print as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Prints data as a TypeScript literal, with line breaks where a formatter would add them. */
export function toLiteral(value: unknown, indent = ''): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isArray = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => (isArray ? '' : `${printKey(key)}: `) + toLiteral(item, inner));
  const line = isArray ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (!line.includes('\n') && indent.length + line.length <= maxWidth) return line;
  const lines = parts.map((part) => `${inner}${part},\n`).join('');
  return isArray ? `[\n${lines}${indent}]` : `{\n${lines}${indent}}`;
}

const printKey = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));

/** A string in single quotes, unless it contains some. */
function quote(text: string): string {
  const json = JSON.stringify(text);
  return text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
