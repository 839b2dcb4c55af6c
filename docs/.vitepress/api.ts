/** Reads the navigation that TypeDoc wrote for the API reference. */
import { existsSync, readFileSync } from 'node:fs';

import type { DefaultTheme } from 'vitepress';

import { namespaces } from '../../scripts/api-names.ts';
import { root, urlOf } from './pages.ts';

interface Item {
  title: string;
  path?: string;
  children?: Item[];
}

const file = new URL('docs/api/navigation.json', root);
if (!existsSync(file)) throw new Error('docs/api is missing. Generate it with `npm run docs:api`.');
const entryPoints: readonly Item[] = JSON.parse(readFileSync(file, 'utf8'));

interface Link {
  text: string;
  link: string;
}

const itemOf = (item: Item): Link => ({
  text: namespaces[item.title]?.replace(/,.*/, '') ?? item.title,
  link: urlOf(pageOf(item)),
});
const pageOf = ({ path = '' }: Item): string => `api/${path}`;

/** Pages by the names of exports. `polygate` takes precedence over the entry points that export its types, too. */
export const exportedNames: ReadonlyMap<string, string> = new Map(
  entryPoints
    .toReversed()
    .flatMap(({ children = [] }) => children.flatMap((group) => group.children ?? []))
    // A word such as `listen` has other meanings, too.
    .filter(({ title }) => /[A-Z]/.test(title))
    .map((item) => [item.title, pageOf(item)]),
);

/** Sidebars of the API reference by the path of each entry point, which is the only one that is expanded. */
export function apiSidebars(): Map<string, DefaultTheme.SidebarItem> {
  return new Map(
    entryPoints.map((current) => [
      urlOf(pageOf(current)),
      sidebar(entryPoints.map((entry) => entryItem(entry, entry === current))),
    ]),
  );
}

/** The sidebar of pages outside the API reference: only its entry points. */
export function apiSidebar(): DefaultTheme.SidebarItem {
  return sidebar(entryPoints.map((entry) => entryItem(entry, false)));
}

/** The page before and the page after each page of the API reference. */
export function apiPagers(): Map<string, { prev?: Link; next?: Link }> {
  const pages = entryPoints.flatMap((entry) => [
    entry,
    ...groups(entry).flatMap(({ children = [] }) => children),
  ]);
  return new Map(
    pages.map((page, index) => {
      const [before, after] = [pages[index - 1], pages[index + 1]];
      return [
        `docs/${pageOf(page)}`,
        { ...(before && { prev: itemOf(before) }), ...(after && { next: itemOf(after) }) },
      ];
    }),
  );
}

function sidebar(items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem {
  return { text: 'API reference', link: '/api/', items };
}

function entryItem(entry: Item, expanded: boolean): DefaultTheme.SidebarItem {
  const item = itemOf(entry);
  if (!expanded) return item;
  const items = groups(entry).map((group) => {
    // Outside the client, errors are listed among the classes.
    const anchor = group.title === 'Errors' && !isGrouped(entry) ? 'Classes' : group.title;
    return groupItem(group, `${item.link}#${anchor.toLowerCase().replace(' ', '-')}`);
  });
  return { ...item, items };
}

/** A group is a link to its list, because screen readers do not find the button in an item that is a button itself. */
function groupItem({ title, children = [] }: Item, link: string): DefaultTheme.SidebarItem {
  return { text: title, link, collapsed: children.length > 20, items: children.map(itemOf) };
}

/** The client and its namespaces precede other exports. */
function clientFirst(items: readonly Item[]): Item[] {
  const rank = ({ title }: Item) =>
    /^(?:Polygate|ChatClient)$/.test(title) ? 0 : namespaces[title] === undefined ? 2 : 1;
  return items.toSorted((a, b) => rank(a) - rank(b));
}

const order = ['Client', 'Tasks', 'Errors', 'Wire types'];

/** Whether the exports of an entry point are grouped by what they are for, and not by their kinds. */
const isGrouped = ({ title }: Item) => /^polygate(?:\/chat)?$/.test(title);

/** The groups of an entry point. Error classes are a group of their own. */
function groups(entry: Item): Item[] {
  const { children = [] } = entry;
  if (isGrouped(entry))
    return children
      .toSorted((a, b) => order.indexOf(a.title) - order.indexOf(b.title))
      .map((group) => ({ ...group, children: clientFirst(group.children ?? []) }));
  return children.flatMap((group) => {
    const isError = ({ title }: Item) => group.title === 'Classes' && title.endsWith('Error');
    const split = [
      { ...group, children: group.children?.filter((item) => !isError(item)) ?? [] },
      { title: 'Errors', children: group.children?.filter(isError) ?? [] },
    ];
    return split.filter((part) => part.children.length > 0);
  });
}
