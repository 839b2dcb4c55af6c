import { requirements } from './requirements.ts';

/** Which test proves a row of the specification. */
export interface Claim {
  section: string;
  row: string;
  /** The file of the test, below `test/` and without `.test.ts`. */
  file: string;
  /** The whole title of the test or the end of it, with the titles of the groups around it. */
  test: string;
  /** The test has one case for each row of its section, read from the specification itself. */
  driven: boolean;
}

/** One test that has a case for every row of a section, or for those that fit. */
function all(section: string, file: string, test: string, fits = /./): Claim[] {
  const rows = requirements.get(section) ?? [];
  return rows
    .filter((row) => fits.test(row))
    .map((row) => ({ section, row, file, test, driven: true }));
}

/** A test a row. */
function each(section: string, rows: Readonly<Record<string, readonly [string, string]>>): Claim[] {
  return Object.entries(rows).map(([row, [file, test]]) => ({
    section,
    row,
    file,
    test,
    driven: false,
  }));
}

const resources = (file: string) => `resources/${file}`;
const documented = resources('documented');
const wait = resources('materials-wait');
const create = resources('materials-create');
const register = resources('materials-register');
const voices = resources('voices-create');
const succeeds = '%s answered with %i succeeds';
const unprivileged = 'what the service refuses is a 400 with its code: %s';
const clone = 'tell how a clone is billed: 1.5 a voice and 0.0003 a Unicode character of its text';
const design =
  'tell how a design is billed: 3 a voice and 0.00003 a Unicode character of its preview';

export const claims: readonly Claim[] = [
  ...all('Endpoints', documented, succeeds),
  ...all('Statuses', documented, succeeds, / 20\d$/),
  ...all(
    'Statuses',
    resources('refusals'),
    '%s answered with %i rejects with its class',
    / [45]\d\d$/,
  ),
  ...all('Account', resources('account'), 'account.retrieve() > tells %s'),
  ...all('Readiness', resources('account'), 'account.readiness() > tells %s'),
  ...all('Key balance record', resources('account'), 'account.balance() > tells %s'),
  ...all('Service status', resources('public'), 'public.status() > tells %s'),
  ...all('Model', resources('models'), 'tells %s of every model'),
  ...all('Pricing object', resources('models'), 'tells pricing.%s'),
  ...all('Audio task', resources('audio'), 'an audio task > tells %s'),
  ...all('Voice', resources('voices'), 'voices.list() > tells %s'),
  ...all('Voice creation result', voices, 'voices.clone() and voices.design() > tell %s'),
  ...all('Material', resources('materials'), 'a material > tells %s'),
  ...all('Material list', resources('materials-list'), 'materials.list() > tells %s'),
  ...all('Error envelope', documented, 'errors > the envelope tells %s'),
  ...all('Key balance error envelope', documented, 'the envelope of the key balance tells %s'),
  ...all('Chat body', documented, 'a chat sends %s as given'),
  ...all('Image body', documented, 'an image sends %s as given'),
  ...all('Video body', resources('videos'), 'videos.submit() > sends %s as given'),
  ...all('Music body', resources('audio'), 'audio.music > sends %s as given'),
  ...all('Speech body', resources('audio'), 'audio.speech > sends %s as given'),
  ...all('Voice clone body', voices, 'clone sends %s as given'),
  ...all('Voice design body', voices, 'design sends %s as given'),
  ...all('Material create body', create, 'materials.create() > sends %s as given'),
  ...all('Material list query', resources('materials-list'), 'sends the query %s, encoded'),
  ...all('Status query', resources('public'), 'of the status: %s is sent encoded'),
  ...all('Pricing query', resources('public'), 'of the prices: %s is sent encoded'),
  ...all('Voice list query', resources('voices'), 'sends the query %s, encoded'),
  ...all(
    'Headers of GET /account',
    resources('account'),
    'account.retrieve() > reads the header %s into meta',
  ),
  ...all(
    'Headers of GET /readiness',
    resources('account'),
    'account.readiness() > reads the header %s into meta',
  ),
  ...all('Headers of a chat answer', documented, 'of a chat: %s is read into meta'),
  ...all(
    'Headers of a generation answer',
    resources('videos'),
    'reads the header %s of the answer into meta',
  ),
  ...all('Headers of a request', documented, '%s goes where it is wanted alone'),
  ...all('Material status', wait, 'the word %s is read as it came'),
  ...each('Material transition', {
    'created without a real person -> processing': [
      create,
      'posts to /v1/materials with the key that the service requires',
    ],
    'created with a real person -> verification_pending': [
      register,
      'has a page in the answer to create() and in its replay, and nowhere else',
    ],
    'verification_pending -> processing': [
      register,
      'has a page to open, told once, and is available after it was opened',
    ],
    'processing -> available': [
      wait,
      'processing, available with its dates, and gone after two hours',
    ],
    'available -> archived after two hours': [
      wait,
      'processing, available with its dates, and gone after two hours',
    ],
    'any -> deleted or delete_pending': [
      wait,
      'deleted in the background is a 202 delete_pending, which lists still show',
    ],
    'verification_pending -> deleted': [wait, 'a pending verification is cancelled by a delete'],
    'terminal failure, replayed under its key': [
      wait,
      'a terminal failure is what its key replays; another key makes another material',
    ],
    'deleted only in a delete response': [
      wait,
      'deleted at once is a 200, and then a 404; deleting twice is fine',
    ],
  }),
  ...all('Audio task status', resources('audio'), 'understands the status %s'),
  ...all('Audio task raw_status', resources('audio'), 'understands the raw_status %s'),
  ...all('Terminal status of other tasks', documented, 'other tasks > are over at the word %s'),
  ...each('Codes', {
    api_key_required: [
      resources('refusals'),
      '%s without a key, with a wrong and with a disabled one',
    ],
    invalid_request_parameter: [
      resources('audio'),
      'lets the service refuse %s: invalid_request_parameter',
    ],
    concurrency_limit_exceeded: [
      resources('refusals'),
      '%s beyond the concurrency limit is a 429 with the limit',
    ],
    invalid_idempotency_key: [create, unprivileged],
    invalid_material_request: [create, unprivileged],
    invalid_material_cursor: [resources('materials-list'), 'lets the service refuse %s'],
    material_channel_unavailable: [
      resources('videos-materials'),
      'given to a model that takes no materials is refused: material_channel_unavailable',
    ],
    material_idempotency_conflict: [
      create,
      'with the key of another request is a conflict that is not repeated',
    ],
    material_not_found: [resources('materials'), "a material > is nobody else's"],
    material_not_available: [
      resources('videos-materials'),
      'whose material has expired or was deleted is refused: material_not_available',
    ],
    material_not_managed: [
      resources('videos-materials'),
      "that is in nobody's library is refused by the service: material_not_managed",
    ],
    visual_verification_consent_required: [create, unprivileged],
    invalid_visual_verification_request: [create, unprivileged],
    visual_verification_create_outcome_uncertain: [
      create,
      'that stays uncertain tells so, with the key to ask again: %s',
    ],
    material_create_outcome_uncertain: [
      create,
      'that stays uncertain tells so, with the key to ask again: %s',
    ],
  }),
  ...all(
    'Messages of the key balance',
    resources('refusals'),
    'the key balance says so in an envelope of its own, which becomes the same classes',
  ).map((claim) => ({ ...claim, driven: false })),
  ...each('Limits', {
    'Concurrency per key/account': [resources('account'), 'knows the source %s'],
    'Over-limit behaviour': [
      resources('refusals'),
      '%s beyond the concurrency limit is a 429 with the limit',
    ],
    'Idempotency-Key length': [create, 'takes a key of %s'],
    'Material list page size': [
      resources('materials-list'),
      'refuses a limit of %s before the network',
    ],
    'Material lifetime': [wait, 'processing, available with its dates, and gone after two hours'],
    'Material poll interval': [wait, 'asks every 3 to 5 seconds, whatever chance says: %d'],
    'Task poll interval': [resources('videos'), 'is asked for every 2 to 5 seconds'],
    speed: [resources('audio'), 'accepts the speed %d'],
    sample_rate: [resources('audio'), 'accepts the sample rate %d'],
    'Billing length of speech': [
      resources('audio'),
      'is billed by the character: spaces, line breaks, punctuation and emoji count',
    ],
    'Formula of a voice clone': [voices, clone],
    'Formula of a voice design': [voices, design],
    'Listing voices is not billed': [resources('voices'), 'voices.list() > is not billed'],
    'Music is billed per output': [resources('audio'), 'is billed by the piece'],
  }),
  ...each('Rules', {
    'Public endpoints need no credentials': [
      resources('public'),
      '%s carries no credentials, whatever the client has',
    ],
    'Native key headers on GET /models': [
      resources('models'),
      "in Anthropic's style sends x-api-key and a version, and reads that list",
    ],
    'Model ids with slashes are encoded in the path': [resources('models'), 'of %s is GET %s'],
    'asset:// URIs stand in structured media items, never in plain text': [
      resources('videos-materials'),
      'in plain text is refused before the network: %s',
    ],
    'A replayed key returns the task without charging again': [
      resources('videos'),
      'under a key that was used returns the same task and charges nothing',
    ],
    'Another alternative success shape carries output.audio_url': [
      resources('audio'),
      'whose success carries output.audio_url instead of a result is a success',
    ],
    'The callback carries exactly material_id and material_status': [
      register,
      'refuses an address with %s, and does not quote it',
    ],
    'Callback and verification URLs are not logged': [
      register,
      'has a page that no log shows, nor where the browser goes after it',
    ],
    'User lists exclude failed, deleted and expired records': [
      resources('materials-list'),
      'leaves out what failed, was deleted or has expired',
    ],
    'A failed audio task carries error.message': [
      resources('audio'),
      'that fails carries error.message',
    ],
    'An uncertain submit is retried with the original key': [
      resources('videos'),
      'that may have arrived is asked again under its own key, and is paid once',
    ],
    'Result URLs are not permanent': [
      resources('download'),
      'of the reference gateway is renewed for a task and for a generation',
    ],
  }),
];
