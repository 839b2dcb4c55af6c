/** Plugin of the Markdown renderer that resolves links between files, and links the names of exports to their pages. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { MarkdownRenderer } from 'vitepress';

import { exportedNames } from './api.ts';
import { publish, root, targetOf, urlOf } from './pages.ts';

type CoreRule = Parameters<MarkdownRenderer['core']['ruler']['push']>[1];
type State = Parameters<CoreRule>[0];
type Token = State['tokens'][number];

/** Adds the plugin. */
export function resolveLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('links between files', (state) => {
    const source = sourceOf(state.env);
    state.tokens.forEach((token, index) => {
      if (token.type === 'html_block') token.content = relativeImages(token.content);
      if (token.children === null) return;
      for (const child of token.children) resolve(child, source);
      const isHeading = state.tokens[index - 1]?.type === 'heading_open';
      if (!isHeading && /^(?:README|docs\/(?!api\/))/.test(source))
        token.children = linkNames(token.children, state);
    });
  });
}

/** Shows blocks of code whose first lines name their tools, as in `# npm`, as tabs. */
export function groupCode(md: MarkdownRenderer): void {
  const block = /^```(\w+)\n# (npm|pnpm|yarn|bun|bash|PowerShell)\n([^]*?^```\n)\n?/gm;
  const blocks = new RegExp(`(?:${block.source}){2,}`, 'gm');
  md.core.ruler.before('normalize', 'tabs', (state) => {
    state.src = state.src.replaceAll(
      blocks,
      (group) => `::: code-group\n\n${group.replaceAll(block, '```$1 [$2]\n$3\n')}:::\n\n`,
    );
  });
}

/** Gives each cell of a table the title of its column, which phones show above the cell. */
export function labelCells(md: MarkdownRenderer): void {
  md.core.ruler.push('titles of columns', ({ tokens }) => {
    let titles: string[] = [];
    let column = 0;
    tokens.forEach((token, index) => {
      if (token.type === 'thead_open') titles = [];
      if (token.type === 'th_open')
        titles.push(tokens[index + 1]?.content.replaceAll('`', '') ?? '');
      if (token.type === 'tr_open') column = 0;
      if (token.type !== 'td_open') return;
      token.attrSet('data-title', titles[column] ?? '');
      column += 1;
    });
  });
}

/** Keeps a number and its unit on one line. */
export function keepUnits(md: MarkdownRenderer): void {
  md.core.ruler.push('units', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'text')
        token.content = token.content.replaceAll(
          /(?<=\d) (?=(?:µs|ms|s|KB|KiB|MiB|GiB|USD)\b)/g,
          '\u{a0}',
        );
  });
}

/** Path of the rendered file from the root. VitePress passes the path of the page, too. */
export function sourceOf(env: { path: string; realPath?: string }): string {
  return relative(fileURLToPath(root), env.realPath ?? env.path);
}

function resolve(token: Token, source: string): void {
  if (token.type === 'html_inline') token.content = relativeImages(token.content);
  const link = token.type === 'link_open' ? token.attrGet('href') : null;
  const target = link === null ? undefined : targetOf(link, source);
  if (target === undefined) return;
  const { path, page, hash } = target;
  if (path === 'playground/README.md') {
    token.attrSet('href', '/playground/');
    // It is not a page of this site, so its router must not open it.
    return token.attrSet('target', '_self');
  }
  if (page !== undefined) return token.attrSet('href', urlOf(page) + hash);
  token.attrSet('href', `/${publish(path)}`);
  // The router only opens pages.
  token.attrSet('target', '_self');
}

/** Makes paths of images in HTML recognizable as relative. Vite then includes the images in the build. */
function relativeImages(html: string): string {
  return html.replaceAll(/(?<=\s(?:src|srcset)=")(?![a-z]+:|[./])/g, './');
}

function linkNames(tokens: readonly Token[], { Token: TokenClass }: State): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    const page = token.type === 'code_inline' ? exportedNames.get(token.content) : undefined;
    if (page === undefined || depth > 0) return [token];
    const open = new TokenClass('link_open', 'a', 1);
    open.attrSet('href', urlOf(page));
    return [open, token, new TokenClass('link_close', 'a', -1)];
  });
}
