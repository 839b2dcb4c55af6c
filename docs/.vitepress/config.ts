/** The documentation site: guides in the order of docs/README.md, and the API reference that TypeDoc generates. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { defineConfig } from 'vitepress';
import type { DefaultTheme } from 'vitepress';

import { contents } from '../../scripts/contents.ts';
import { apiPagers, apiSidebar, apiSidebars } from './api.ts';
import { namesOfBar } from './corrections.ts';
import { groupCode, keepUnits, labelCells, resolveLinks, sourceOf } from './links.ts';
import { writeTexts } from './llms.ts';
import { home, linkedFiles, pageOf, publish, redirects, root, urlOf, withSetUp } from './pages.ts';
import { search, searchBox } from './search.ts';

const guides = contents();
const { description, version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const icon = readFileSync(new URL('playground/src/icon.svg', root), 'utf8');
/** Where the site is published. Other sites need the whole address of a picture. */
const siteURL = process.env['DOCS_URL'] ?? '';
const card = 'docs/images/card.png';
const iconURL = `data:image/svg+xml,${encodeURIComponent(icon)}`;

const sections = Array.from(
  new Set(guides.map(({ section }) => section)),
  (section): DefaultTheme.SidebarItem => ({
    text: section,
    items: guides
      .filter((guide) => guide.section === section)
      .map(({ title, path }) => ({ text: title, link: urlOf(pageOf(path) ?? '') })),
  }),
);

const pagers = apiPagers();

export default defineConfig({
  title: 'polygate',
  description,
  lang: 'en',
  srcDir: '..',
  // Other Markdown files of the repository are not pages.
  srcExclude: ['AGENTS.md', 'README.md', '{playground,skills,src,test}/**'],
  rewrites: (page) => pageOf(page) ?? page,
  metaChunk: true,
  vite: { plugins: [searchBox, ...namesOfBar] },
  head: [
    ['link', { rel: 'icon', href: iconURL }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: 'polygate' }],
    ['meta', { property: 'og:image', content: `${siteURL}/${publish(card)}` }],
    ['meta', { property: 'og:image:alt', content: 'A lost response is charged once, not twice' }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    headers: false,
    anchor: { slugify },
    config(md) {
      md.core.ruler.before('normalize', 'set-up', (state) => {
        state.src = withSetUp(sourceOf(state.env), state.src);
      });
      groupCode(md);
      resolveLinks(md);
      labelCells(md);
      keepUnits(md);
    },
  },
  transformPageData(page, { siteConfig }) {
    const guide = guides.find(({ path }) => path === page.filePath);
    if (page.filePath === home) {
      // The page shows it at once, and would begin to load it when everything else is there.
      const href = `${siteConfig.site.base}playground/pull-the-plug.js`;
      const head = [['link', { rel: 'modulepreload', href }]];
      return { title: 'polygate', titleTemplate: false, frontmatter: { layout: 'home', head } };
    }
    if (page.filePath.startsWith('docs/api/'))
      return { frontmatter: { pageClass: 'reference', ...pagers.get(page.filePath) } };
    if (page.filePath.startsWith('docs/site/'))
      return { frontmatter: { prev: { text: 'Examples', link: '/examples/' }, next: false } };
    return guide && { description: guide.description };
  },
  buildEnd({ outDir }) {
    writeTexts(outDir);
    cpSync(new URL('dist/playground', root), join(outDir, 'playground'), { recursive: true });
    // The playground of the package has no documentation next to it.
    const playground = join(outDir, 'playground/index.html');
    const docs = '<meta name="docs" content="../" />';
    writeFileSync(playground, readFileSync(playground, 'utf8').replace('<head>', `<head>${docs}`));
    for (const [page, url] of redirects) writeFileSync(join(outDir, page), redirectTo(url));
    for (const [name, path] of linkedFiles) {
      mkdirSync(dirname(join(outDir, name)), { recursive: true });
      copyFileSync(new URL(path, root), join(outDir, name));
    }
  },
  themeConfig: {
    logo: iconURL,
    nav: [
      { text: 'Guides', link: '/guides/', activeMatch: '^/(guides|examples)/' },
      { text: 'API reference', link: '/api/', activeMatch: '^/api/' },
      { text: 'Playground', link: '/playground/', target: '_self', noIcon: true },
      { text: `v${version}`, link: urlOf(pageOf('CHANGELOG.md') ?? '') },
    ],
    sidebar: {
      ...Object.fromEntries(
        Array.from(apiSidebars(), ([path, sidebar]) => [path, [...collapsed(sections), sidebar]]),
      ),
      '/': [...sections, apiSidebar()],
    },
    outline: [2, 3],
    search,
    externalLinkIcon: true,
  },
});

/** Sections of guides next to the API reference: links to their first guides, which can be expanded. */
function collapsed(items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem[] {
  return items.map((item) => {
    const link = item.items?.[0]?.link;
    return { ...item, ...(link !== undefined && { link }), collapsed: true };
  });
}

/** The text of a page that leads to another one, at the same heading. */
function redirectTo(url: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8" />',
    '<title>This page has moved</title>',
    `<link rel="canonical" href="${url}" />`,
    `<noscript><meta http-equiv="refresh" content="0; url=${url}" /></noscript>`,
    `<script>location.replace('${url}' + location.hash)</script>`,
    `<p>This page is now at <a href="${url}">${url}</a>.</p>`,
    '</html>\n',
  ].join('\n');
}

/** Anchors as code hosting sites generate them, so that links in guides work there, too. */
function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
