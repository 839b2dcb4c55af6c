import { existsSync } from 'node:fs';
import { posix } from 'node:path';

import type { OxlintOverride } from 'oxlint';

import { layers } from './layers.ts';

/** How deep the folders of a layer are nested at most. */
const maxDepth = 3;

/** Lint rules that reject every import but those that the layers list. Of two rules for a file, the later one wins. */
export const layerRules = Object.keys(layers).flatMap((layer) =>
  layer.endsWith('.ts') ? [fileRule(layer)] : folderRules(layer),
);

/** One rule per depth, because an import is compared as it is written: with one `../` for each folder that it leaves. */
function folderRules(folder: string) {
  const mayImport = layers[folder] ?? [];
  // A layer that may import the folder that contains it.
  const top = mayImport.find((target) => folder.startsWith(`${target}/`)) ?? folder;
  const above = folder.split('/').length - top.split('/').length;
  return Array.from({ length: maxDepth + 1 }, (_, depth) => {
    const up = '../'.repeat(depth);
    const levels = depth + above + 1;
    const own = Array.from({ length: levels }, (__, level) => '../'.repeat(level) || './');
    const files = `src/${folder}/${'*/'.repeat(depth)}*.ts`;
    const outside = (target: string) => up + posix.relative(folder, target);
    // Allows the folders up to the top one, then rejects what is above it.
    const ownGroup = own.flatMap((path) => [`!${path}**`, `${path}../**`]);
    return rule({ files, own: ownGroup, layer: folder, mayImport, outside });
  });
}

function fileRule(file: string) {
  const folder = posix.dirname(file);
  const outside = (target: string) => posix.relative(folder, target).replace(/^(?!\.)/, './');
  const mayImport = [...(layers[folder] ?? []), ...(layers[file] ?? [])];
  const own = folder === '.' ? [] : ['!./**', './../**'];
  return rule({ files: `src/${file}`, own, layer: file, mayImport, outside });
}

/** What a layer may import. */
interface Allowed {
  /** The files of the layer. */
  readonly files: string;
  /** Patterns of the imports within the layer. */
  readonly own: readonly string[];
  readonly layer: string;
  readonly mayImport: readonly string[];
  /** The import of a target outside the layer, as it is written. */
  readonly outside: (target: string) => string;
}

function rule({ files, own, layer, mayImport, outside }: Allowed): OxlintOverride {
  const allowed = mayImport.flatMap((target) => {
    if (layer.startsWith(`${target}/`)) return [];
    const isPackage = !existsSync(new URL(`../src/${target}`, import.meta.url));
    if (isPackage) return `!${target}`;
    return target.endsWith('.ts') ? `!${outside(target)}` : `!${outside(target)}/**`;
  });
  const message = `${layer} may import itself, ${mayImport.join(', ')}: see scripts/layers.ts.`;
  const pattern = { group: ['**', ...own, ...allowed], message };
  return {
    files: [files],
    rules: { 'no-restricted-imports': ['error', { patterns: [pattern] }] },
  };
}
