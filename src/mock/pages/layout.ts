import { escapeXml } from '../escape-xml.ts';

/** Blocks scripts and requests to other origins, whatever a prompt contains. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

const style = `
:root { color-scheme: light dark; --ink: #1b1c22; --soft: #5a5d6b; --paper: #fff; --card: #f5f5f8;
  --line: #d9dae2; --accent: #2f4bc7; --on-accent: #fff; --good: #17692f; --bad: #a8241b }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a9acba; --paper: #15161b;
  --card: #1f2027; --line: #3a3c48; --accent: #a3b4ff; --on-accent: #15161b; --good: #7fd79a;
  --bad: #ff9c93 } }
* { box-sizing: border-box }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.5rem }
h2 { font-size: 1.125rem; margin: 2rem 0 0.75rem }
p { margin: 0 0 0.75rem; max-width: 46rem; text-wrap: pretty }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem;
  padding: 0.75rem 1rem; margin: 0; overflow: auto; font-size: 0.875rem; overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; max-width: 42rem }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; text-align: right; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; white-space: nowrap }
th { font-weight: 600; color: var(--soft) }
th:first-child { text-align: left; white-space: normal; overflow-wrap: break-word }
td:last-child, th:last-child { padding-right: 0 }
tbody th { color: inherit; font-weight: 400 }
.soft { color: var(--soft); font-size: 0.875rem }
`;

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
${body}
</body>
</html>
`;
}
