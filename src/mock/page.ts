/** Blocks scripts and requests to other origins, whatever a prompt contains. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

const style = `
:root { color-scheme: light dark; --ink: light-dark(#12201a, #e9f1ec); --soft: light-dark(#53625a, #9fb2a8);
  --paper: light-dark(#f2f4ee, #0b1411); --card: light-dark(#fff, #121d19); --line: light-dark(#d3dbd0, #25352e);
  --accent: light-dark(#15523a, #c8f04f); --on-accent: light-dark(#e9ff9f, #10211b);
  --good: light-dark(#14653b, #83e2ac); --bad: light-dark(#9d2417, #ff9f8f) }
* { box-sizing: border-box }
body { font: 0.9375rem/1.55 Inter, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial,
  sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 0 auto;
  padding: 1.25rem 1rem 3rem; overflow-wrap: anywhere }
.brand { display: flex; align-items: center; gap: 0.5rem; margin: 0 0 2rem; font-weight: 650;
  letter-spacing: -0.01em }
.brand svg { width: 1.75rem; fill: var(--accent) }
.brand circle { fill: var(--on-accent) }
h1 { font-size: 1.625rem; font-weight: 700; letter-spacing: -0.03em; line-height: 1.15; margin: 0 0 0.5rem }
h2 { font-size: 1rem; font-weight: 650; letter-spacing: -0.01em; margin: 2rem 0 0.75rem }
p { margin: 0 0 0.75rem; max-width: 46rem; text-wrap: pretty }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 0.875rem 1rem; margin: 0;
  overflow: auto; font: 0.8125rem/1.6 ui-monospace, 'Liberation Mono', Menlo, monospace; overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; max-width: 42rem }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; text-align: right; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; white-space: nowrap }
th { font-weight: 600; color: var(--soft) }
th:first-child { text-align: left; white-space: normal; overflow-wrap: break-word }
td:last-child, th:last-child { padding-right: 0 }
tbody th { color: inherit; font-weight: 400 }
.soft { color: var(--soft); font-size: 0.8125rem }
`;

/** The logo and name of the project, as in the playground. */
const brand = `<p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path
d="M16 3.5 26.8 9.8v12.4L16 28.5 5.2 22.2V9.8Z"/><circle cx="16" cy="16" r="3.6"/></svg>polygate</p>`;

/** Renders a page from its title, its additional CSS and its body in HTML. */
export function page(title: string, pageStyle: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${escapeXml(title)}</title>
<style>${style}${pageStyle}</style>
</head>
<body>
${brand}
${body}
</body>
</html>
`;
}

/** Escapes text for XML and HTML, and removes characters that XML forbids. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
