import { describe, expectTypeOf, test } from 'vitest';

import type {
  BatchResult,
  BatchRow,
  Generation,
  Journal,
  Polygate,
  SubmittedTask,
  Submission,
  Task,
} from '../../src/index.ts';
import type { fileJournal } from '../../src/journal/index.ts';

declare const gateway: Polygate;
declare const journal: Journal;
interface Shot {
  id: string;
  prompt: string;
  film: boolean;
}
declare const shots: AsyncIterable<Shot>;
const image = { model: 'm', prompt: 'A harbour' };

/** What a batch yields. */
type Yielded<Rows> = Rows extends AsyncIterable<infer Row> ? Row : never;

describe('batch()', () => {
  test('types each row by its input and its kind', () => {
    const rows = gateway.batch(shots, (shot) => gateway.videos.submission({ ...image, ...shot }), {
      journal,
      id: ({ id }) => id,
    });
    type Row = Yielded<typeof rows>;
    expectTypeOf<Row>().toEqualTypeOf<BatchRow<Shot, 'video'>>();
    expectTypeOf<Row['input']>().toEqualTypeOf<Shot>();
    expectTypeOf<Row['task']>().toEqualTypeOf<Task<'video'> | undefined>();
  });

  test('has a generation exactly where a row has succeeded, and an error elsewhere', () => {
    const check = (row: BatchRow<Shot, 'image'>) => {
      if (row.status === 'succeeded') {
        expectTypeOf(row.generation).toEqualTypeOf<Generation<'image'>>();
        expectTypeOf(row.error).toEqualTypeOf<undefined>();
      } else {
        expectTypeOf(row.generation).toEqualTypeOf<undefined>();
        expectTypeOf(row.error).toEqualTypeOf<Error>();
      }
      expectTypeOf(row.generation ?? row.error).toEqualTypeOf<Generation<'image'> | Error>();
    };
    expectTypeOf(check).toBeFunction();
  });

  test('mixes kinds', () => {
    const rows = gateway.batch(shots, ({ film, prompt }) =>
      film
        ? gateway.videos.submission({ model: 'm', prompt })
        : gateway.images.submission({ model: 'm', prompt }),
    );
    expectTypeOf<Yielded<typeof rows>>().toEqualTypeOf<BatchRow<Shot, 'image' | 'video'>>();
  });

  test('takes plain arrays, and descriptions that come later', () => {
    const rows = gateway.batch([1, 2], async () => gateway.audio.music.submission(image));
    expectTypeOf<Yielded<typeof rows>>().toEqualTypeOf<BatchRow<number, 'audio'>>();
  });

  test('takes no task that was already submitted, and no path for a journal', () => {
    // @ts-expect-error a submit is paid here and now
    void gateway.batch([1], () => gateway.images.submit(image));
    expectTypeOf(journal).toEqualTypeOf<Journal>();
    // @ts-expect-error it is fileJournal(path)
    void gateway.batch([1], () => gateway.images.submission(image), { journal: 'run.jsonl' });
  });
});

test('recover() yields rows of any kind', () => {
  expectTypeOf<Yielded<ReturnType<Polygate['recover']>>>().toEqualTypeOf<BatchResult>();
});

test('a submission resolves to the task that submit() gives', () => {
  const submission = gateway.images.submission(image, { route: 'generations' });
  expectTypeOf(submission).toEqualTypeOf<Submission<'image'>>();
  expectTypeOf<Awaited<ReturnType<typeof submission.send>>>().toEqualTypeOf<
    SubmittedTask<'image'>
  >();
});

test('a file makes a journal', () => {
  expectTypeOf<ReturnType<typeof fileJournal>>().toEqualTypeOf<Journal>();
});
