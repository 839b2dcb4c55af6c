/**
 * Stores a field that is not concatenated. A later value replaces an earlier one, unless it is null. Most fields have
 * the same value in every chunk, and comparing is cheaper than writing.
 */
export function keepField(target: Record<string, unknown>, name: string, value: unknown): void {
  const previous = target[name];
  if (value === previous || name === '__proto__' || (value === null && previous !== undefined)) {
    return;
  }
  target[name] = value;
}
