/** A query string with its leading `?`, or an empty string. Omits undefined and null values. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries<string | number | boolean | null | undefined>({
    ...query,
  })) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}
