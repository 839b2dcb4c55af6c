/** Where the documentation is. Only the site that contains this page says so, when it copies the page. */
const docs = document.querySelector<HTMLMetaElement>('meta[name=docs]')?.content;

/** Links to the documentation, if this page is a part of it. */
export function DocsLinks() {
  if (docs === undefined) return null;
  return (
    <nav class="docs-links" aria-label="Documentation">
      <a href={`${docs}guides/quick-start.html`}>Quick start</a>
      <a href={`${docs}guides/`}>Docs</a>
    </nav>
  );
}
