/** What one row of the table says. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** What the numbers count; ratios have none. */
  readonly unit: string;
  /** What polygate is to stay under. */
  readonly target: number;
  /** What was run, in a few sentences. */
  readonly method: string;
  /** By client. */
  readonly values: Record<string, number>;
  /** What the limit alone took, where the values are ratios. */
  readonly limit?: string;
}
