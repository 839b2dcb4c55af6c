import { globSync } from 'node:fs';

import { requirements } from './requirements.ts';
import { titlesOf } from './titles.ts';

/** Which test covers a row of the specification. */
export interface Claim {
  section: string;
  row: string;
  /** The file of the test, below `test/` and without `.test.ts`. */
  file: string;
  /** The title of the test with the titles of its groups, or the end of it. */
  test: string;
  /** Whether the test has one case for each row of its section, read from `specification.ts`. */
  dataDriven: boolean;
}

/** One test with a case for every row of a section, or for every row that matches. */
function all(section: string, file: string, test: string, pattern = /./): Claim[] {
  const rows = requirements.get(section) ?? [];
  return rows
    .filter((row) => pattern.test(row))
    .map((row) => ({ section, row, file, test, dataDriven: true }));
}

/** The tests in `test/resources` that read the rows of a section from `specification.ts`, with a case for each of them. */
function read(): Claim[] {
  const cwd = new URL('../resources/', import.meta.url);
  const tests = globSync('*.test.ts', { cwd }).flatMap((name) =>
    (titlesOf(new URL(name, cwd)) ?? []).map((title) => ({
      file: resources(name.replace('.test.ts', '')),
      ...title,
    })),
  );
  return [...requirements.keys()].flatMap((section) => {
    const source = new RegExp(
      `(?:records|requests|headers|states)(?:\\.${section}\\b|\\['${section}'\\])`,
    );
    return tests
      .filter(({ table }) => source.test(table))
      .flatMap(({ file, title }) => all(section, file, title));
  });
}

/** One test per row. */
function each(section: string, rows: Readonly<Record<string, readonly [string, string]>>): Claim[] {
  return Object.entries(rows).map(([row, [file, test]]) => ({
    section,
    row,
    file,
    test,
    dataDriven: false,
  }));
}

const resources = (file: string) => `resources/${file}`;
const documented = resources('documented');
const wait = resources('materials-wait');
const create = resources('materials-create');
const register = resources('materials-register');
const voices = resources('voices-create');
const succeeds = '%s succeeds with a %i response';
const rejectedWithCode = 'throws the code of a request that the service rejects with 400: %s';
const clone =
  'report the billing of a clone: 1.5 per voice and 0.0003 per Unicode character of its text';
const design =
  'report the billing of a design: 3 per voice and 0.00003 per Unicode character of its preview';

export const claims: readonly Claim[] = [
  ...read(),
  ...all('Endpoints', documented, succeeds),
  ...all('Statuses', documented, succeeds, / 20\d$/),
  ...all(
    'Statuses',
    resources('error-responses'),
    '%s rejects with the matching error class on a %i',
    / [45]\d\d$/,
  ),
  ...each('Material transition', {
    'created without a real person -> processing': [
      create,
      'posts to /v1/materials with the key that the service requires',
    ],
    'created with a real person -> verification_pending': [
      register,
      'has a verification page only in the create response and its replay',
    ],
    'verification_pending -> processing': [
      register,
      'calls onVerification once, and becomes available after verification',
    ],
    'processing -> available': [
      wait,
      'a material is processing, then available with its dates, and archived after two hours',
    ],
    'available -> archived after two hours': [
      wait,
      'a material is processing, then available with its dates, and archived after two hours',
    ],
    'any -> deleted or delete_pending': [
      wait,
      'a delete in the background returns 202 and delete_pending, which is still listed',
    ],
    'verification_pending -> deleted': [wait, 'a delete cancels a pending verification'],
    'terminal failure, replayed under its key': [
      wait,
      'a terminal failure is replayed under its key, and another key creates another material',
    ],
    'deleted only in a delete response': [
      wait,
      'an immediate delete returns 200, then 404 on retrieve, and can be repeated',
    ],
  }),
  ...each('Codes', {
    api_key_required: [
      resources('error-responses'),
      '%s rejects a missing, an invalid and a disabled key',
    ],
    invalid_request_parameter: [
      resources('audio'),
      'sends %s, which the service rejects with invalid_request_parameter',
    ],
    concurrency_limit_exceeded: [
      resources('error-responses'),
      '%s beyond the concurrency limit rejects with a 429 that reports the limit',
    ],
    invalid_idempotency_key: [create, rejectedWithCode],
    invalid_material_request: [create, rejectedWithCode],
    invalid_material_cursor: [resources('materials-list'), 'sends %s, which the service rejects'],
    material_channel_unavailable: [
      resources('videos-materials'),
      'is rejected for a model without material support: material_channel_unavailable',
    ],
    material_idempotency_conflict: [
      create,
      'rejects the key of another request as a conflict and does not retry',
    ],
    material_not_found: [resources('materials'), 'a material > is not visible to other users'],
    material_not_available: [
      resources('videos-materials'),
      'of an expired or deleted material is rejected: material_not_available',
    ],
    material_not_managed: [
      resources('videos-materials'),
      'outside the library of the caller is rejected by the service: material_not_managed',
    ],
    visual_verification_consent_required: [create, rejectedWithCode],
    invalid_visual_verification_request: [create, rejectedWithCode],
    visual_verification_create_outcome_uncertain: [
      create,
      'exposes the key to retry with if the outcome stays uncertain: %s',
    ],
    material_create_outcome_uncertain: [
      create,
      'exposes the key to retry with if the outcome stays uncertain: %s',
    ],
  }),
  ...all(
    'Messages of the key balance',
    resources('error-responses'),
    'the key balance has its own error envelope, which maps to the same error classes',
  ).map((claim) => ({ ...claim, dataDriven: false })),
  ...each('Limits', {
    'Concurrency per key/account': [resources('account'), 'returns the concurrency source %s'],
    'Over-limit behaviour': [
      resources('error-responses'),
      '%s beyond the concurrency limit rejects with a 429 that reports the limit',
    ],
    'Idempotency-Key length': [create, 'accepts a key of %s'],
    'Material list page size': [
      resources('materials-list'),
      'rejects a limit of %s before sending a request',
    ],
    'Material lifetime': [
      wait,
      'a material is processing, then available with its dates, and archived after two hours',
    ],
    'Material poll interval': [wait, 'polls every 3 to 5 seconds with a random value of %d'],
    'Task poll interval': [resources('videos'), 'is polled every 2 to 5 seconds'],
    speed: [resources('audio'), 'accepts the speed %d'],
    sample_rate: [resources('audio'), 'accepts the sample rate %d'],
    'Billing length of speech': [
      resources('audio'),
      'is billed per character, including spaces, line breaks, punctuation and emoji',
    ],
    'Formula of a voice clone': [voices, clone],
    'Formula of a voice design': [voices, design],
    'Listing voices is not billed': [resources('voices'), 'voices.list() > is not billed'],
    'Music is billed per output': [resources('audio'), 'is billed per output'],
  }),
  ...each('Rules', {
    'Public endpoints need no credentials': [
      resources('public'),
      '%s carries no credentials, even if the client has some',
    ],
    'Vendor-specific key headers on GET /models': [
      resources('models'),
      'sends x-api-key and a version in the Anthropic style, and returns its list',
    ],
    'Model ids with slashes are encoded in the path': [resources('models'), 'of %s sends GET %s'],
    'asset:// URIs are allowed in structured media items, never in plain text': [
      resources('videos-materials'),
      'is rejected in plain text before sending a request: %s',
    ],
    'A replayed key returns the task without charging again': [
      resources('videos'),
      'returns the same task without a charge for a key that was used',
    ],
    'An alternative success shape has output.audio_url': [
      resources('audio-tasks'),
      'succeeds with output.audio_url instead of a result',
    ],
    'The callback carries exactly material_id and material_status': [
      register,
      'rejects a URL with %s, and does not quote it',
    ],
    'Callback and verification URLs are not logged': [
      register,
      'never logs its verification URL or callback URL',
    ],
    'User lists exclude failed, deleted and expired records': [
      resources('materials-list'),
      'excludes failed, deleted and expired materials',
    ],
    'A failed audio task carries error.message': [
      resources('audio-tasks'),
      'reports error.message when it fails',
    ],
    'An uncertain submit is retried with the original key': [
      resources('videos'),
      'is retried with the same key after an unknown outcome, and is charged once',
    ],
    'Result URLs are not permanent': [
      resources('download'),
      'is renewed for a task and for a generation of the reference gateway',
    ],
  }),
];
