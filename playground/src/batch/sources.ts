/** The programs of both sides, as they are in their files. */
const files = import.meta.glob<string>(['./usual-script.ts', './with-polygate.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** What the left side runs. */
export const usualSource = files['./usual-script.ts'] ?? '';

/** What the right side runs. */
export const polygateSource = files['./with-polygate.ts'] ?? '';
