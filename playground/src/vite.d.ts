/** The text of a file, which Vite imports. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** The styles of a file, which Vite imports as text. */
declare module '*.css?inline' {
  const text: string;
  export default text;
}
