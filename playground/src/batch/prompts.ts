/** What both programs make images of. */
export const prompts: readonly string[] = Array.from(
  { length: 24 },
  (_, index) => `Harbor ${index + 1}`,
);
