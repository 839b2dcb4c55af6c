import { defineConfig } from 'oxlint';

import { layerRules } from './scripts/layer-rules.ts';

/** Static members of `URL` that runtimes lack: Node.js 20 the first, mobile apps and older browsers both. */
const missingMembers = (names: readonly ('parse' | 'canParse')[]) =>
  names.map((property) => ({
    object: 'URL',
    property,
    message: 'Use parseURL of src/wire/types/type-guards.ts, which runs everywhere.',
  }));

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['node_modules', 'dist', '/coverage', 'docs/api'],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-lines': ['error', 300],
    // A constructor that narrows its parameter types is not useless.
    'no-useless-constructor': 'off',
    'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
    'no-unused-vars': [
      'error',
      { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
    ],
    'prefer-const': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'typescript/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
    // Covered by the compiler's noImplicitReturns, which recognizes exhaustive switches.
    'typescript/consistent-return': 'off',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-deprecated': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
    // A small helper is easiest to read next to its only use.
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'unicorn/prefer-node-protocol': 'error',
  },
  overrides: [
    {
      files: ['docs/.vitepress/theme/*.ts', 'playground/src/*.{ts,tsx}'],
      rules: { 'import/no-unassigned-import': 'off' },
    },
    {
      files: ['src/**'],
      rules: {
        'no-console': 'error',
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: ['**', '!./**', '!../**'],
                message: 'A new folder may only use relative imports. Add it to scripts/layers.ts.',
              },
            ],
          },
        ],
        'no-restricted-properties': ['error', ...missingMembers(['parse', 'canParse'])],
        'import/no-default-export': 'error',
        'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
        'typescript/no-non-null-assertion': 'error',
        'typescript/no-unsafe-argument': 'error',
        'typescript/no-unsafe-assignment': 'error',
        'typescript/no-unsafe-call': 'error',
        'typescript/no-unsafe-member-access': 'error',
        'typescript/no-unsafe-return': 'error',
      },
    },
    {
      // The only file that may assert that a schema and its interface agree.
      files: ['src/wire/types/schema.ts'],
      rules: {
        'typescript/consistent-type-assertions': 'off',
        'typescript/no-unnecessary-type-parameters': 'off',
        'typescript/no-unsafe-type-assertion': 'off',
      },
    },
    ...layerRules,
    {
      // Node.js 20 and the browsers of developers have `URL.canParse`.
      files: ['src/mock/**', 'src/integrations/node/**'],
      rules: { 'no-restricted-properties': ['error', ...missingMembers(['parse'])] },
    },
    { files: ['src/mock/node/**', 'src/tools/cli/**'], rules: { 'no-console': 'off' } },
    {
      files: ['test/**'],
      rules: {
        // Tests read responses of the reference gateway without validating them.
        'typescript/no-explicit-any': 'off',
        'typescript/no-unsafe-type-assertion': 'off',
        'typescript/unbound-method': 'off',
        'vitest/no-conditional-expect': 'off',
        'no-restricted-properties': [
          'error',
          {
            object: 'vi',
            property: 'waitFor',
            message:
              'It gives up after a second, which is too short on a busy machine. Use `eventually` of test/support.',
          },
        ],
      },
    },
    {
      files: ['test/support/eventually.ts', 'test/runtimes/hooks.test.ts'],
      rules: { 'no-restricted-properties': 'off' },
    },
  ],
});
