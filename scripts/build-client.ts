/**
 * Builds the client and the entries that share its classes. What an entry imports statically is in as few files as
 * possible, because each takes time to load; what it imports dynamically is in files of its own.
 */
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

const entries = { chat: 'src/chat.ts', index: 'src/index.ts' };
/** The smaller ones first, because their modules are a part of the larger ones. Pages may import errors alone. */
const groups = { errors: 'src/errors/index.ts', ...entries };
const integrations = {
  journal: 'src/integrations/journal/index.ts',
  'ai-sdk': 'src/integrations/ai-sdk/index.ts',
  bullmq: 'src/integrations/bullmq/index.ts',
  all: 'src/all.ts',
};

/** What finds modules and their imports. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** Adds a module and everything that it imports statically. */
function addStatic(graph: ModuleGraph, id: string, found: Set<string>): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) {
    addStatic(graph, imported, found);
  }
  return found;
}

const reachable = new Map<string, Set<string>>();

/** The first group whose modules include this one. */
function groupOf(id: string, graph: ModuleGraph): string | null {
  for (const [name, path] of Object.entries(groups)) {
    const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
    const modules = reachable.get(name) ?? addStatic(graph, file, new Set());
    reachable.set(name, modules);
    // An entry exports nothing but its public names, so other files cannot import from it.
    const isEntry = id === file && Object.hasOwn(entries, name);
    if (modules.has(id) && !isEntry) return name;
  }
  return null;
}

const bundle = await rolldown({
  input: { ...entries, ...integrations },
  platform: 'neutral',
  // Packages stay imports.
  external: (id) => !/^[./]/.test(id),
  preserveEntrySignatures: 'allow-extension',
  treeshake: { moduleSideEffects: false },
  transform: { target: ['es2023', 'node20.19'] },
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  sourcemap: true,
  // The declarations have those for users, and Node would have to read them.
  comments: { jsdoc: false },
  minifyInternalExports: false,
  chunkFileNames: 'client/[name].js',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: groupOf, debugName: 'client' }],
  },
});
