/**
 * Lists the fields at the top level of a JSON object: the decoded name and the text of the value, including
 * repeated ones. The text must be valid JSON; if it is not an object, it has no fields.
 *
 * `JSON.parse` keeps only the last of several fields with one name. V8 reads some escaped names incorrectly,
 * depending on objects that it parsed before (nodejs/node issue 63785), so a caller could hide a field from the proxy.
 * It reads strings correctly, so each name is parsed as a string here.
 */
export function fieldsOf(json: string): [name: string, value: string][] {
  const fields: [string, string][] = [];
  const text = json.trim();
  if (!text.startsWith('{')) return fields;
  let name: string | undefined;
  let start = 1;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > 1) continue;
    if (character === ':') {
      name = String(JSON.parse(text.slice(start, index)));
      start = index + 1;
    } else if ((character === ',' || depth === 0) && name !== undefined) {
      fields.push([name, text.slice(start, index)]);
      start = index + 1;
    }
  }
  return fields;
}

/** Returns the position of the quote that ends the string, given the position of the one that starts it. */
function endOfString(text: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return end;
}

/** Whether an object anywhere in a JSON text has two fields of one name. The text must be valid JSON. */
export function repeatsField(json: string): boolean {
  /** The names in each open object; undefined for arrays. */
  const open: (Set<string> | undefined)[] = [];
  /** The last string, which is the name of a field if a colon follows. */
  let last = '';
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      const end = endOfString(json, index);
      last = json.slice(index, end + 1);
      index = end;
    } else if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':') {
      const names = open.at(-1);
      const name = String(JSON.parse(last));
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}
