import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

import type {
  BatchResult,
  BatchRow,
  ChatResult,
  ChatRow,
  Journal,
  Polygate,
  SubmittedTask,
  SucceededGeneration,
  Submission,
  Task,
} from '../../src/index.ts';
import type { fileJournal } from '../../src/integrations/journal/index.ts';

declare const gateway: Polygate;
declare const journal: Journal;
interface Shot {
  id: string;
  prompt: string;
  film: boolean;
}
declare const shots: AsyncIterable<Shot>;
const image = { model: 'm', prompt: 'A harbor' };

/** The type of the rows that a batch yields. */
type Yielded<Rows> = Rows extends AsyncIterable<infer Row> ? Row : never;

describe('batch()', () => {
  test('types each row by its input and the kind of its task', () => {
    const rows = gateway.batch(shots, (shot) => gateway.videos.submission({ ...image, ...shot }), {
      journal,
      id: ({ id }) => id,
    });
    type Row = Yielded<typeof rows>;
    expectTypeOf<Row>().toEqualTypeOf<BatchRow<Shot, 'video'>>();
    expectTypeOf<Row['input']>().toEqualTypeOf<Shot>();
    expectTypeOf<Row['task']>().toEqualTypeOf<Task<'video'> | undefined>();
  });

  test('has a generation on rows that succeeded, and an error on all others', () => {
    const check = (row: BatchRow<Shot, 'image'>) => {
      if (row.status === 'succeeded') {
        expectTypeOf(row.generation).toEqualTypeOf<SucceededGeneration<'image'>>();
        expectTypeOf(row.error).toEqualTypeOf<undefined>();
      } else {
        expectTypeOf(row.generation).toEqualTypeOf<undefined>();
        expectTypeOf(row.error).toEqualTypeOf<Error>();
      }
      expectTypeOf(row.generation ?? row.error).toEqualTypeOf<
        SucceededGeneration<'image'> | Error
      >();
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

  test('types rows of chats by their schema', () => {
    const chat = gateway.chat.completions;
    const messages = [{ role: 'user' as const, content: 'Label this.' }];
    const plain = gateway.batch(shots, () => chat.submission({ model: 'm', messages }));
    expectTypeOf<Yielded<typeof plain>>().toEqualTypeOf<ChatRow<Shot>>();
    const labels = gateway.batch(shots, async () =>
      chat.submission({ model: 'm', messages, response_format: z.object({ label: z.string() }) }),
    );
    type Label = Yielded<typeof labels>;
    expectTypeOf<Label>().toEqualTypeOf<ChatRow<Shot, { label: string }>>();
    expectTypeOf<Label['parsed']>().toEqualTypeOf<{ label: string } | undefined>();
    const check = (row: Label) => {
      if (row.status !== 'succeeded') return;
      expectTypeOf(row.parsed).toEqualTypeOf<{ label: string }>();
      expectTypeOf(row.completion.parsed).toEqualTypeOf<{ label: string }>();
    };
    expectTypeOf(check).toBeFunction();
    // @ts-expect-error a row of a batch is not streamed
    chat.submission({ model: 'm', messages, stream: true });
  });

  test('mixes chats and tasks, with fields that distinguish them', () => {
    const rows = gateway.batch(shots, ({ film, prompt }) =>
      film
        ? gateway.videos.submission({ model: 'm', prompt })
        : gateway.chat.completions.submission({ model: 'm', messages: [] }),
    );
    const check = (row: Yielded<typeof rows>) => {
      expectTypeOf(row.completion?.choices[0]?.message.content).toEqualTypeOf<
        string | null | undefined
      >();
      expectTypeOf(row.generation?.urls).toEqualTypeOf<[string, ...string[]] | undefined>();
    };
    expectTypeOf(check).toBeFunction();
  });

  test('accepts plain arrays and an async row callback', () => {
    const rows = gateway.batch([1, 2], async () => gateway.audio.music.submission(image));
    expectTypeOf<Yielded<typeof rows>>().toEqualTypeOf<BatchRow<number, 'audio'>>();
  });

  test('rejects a task that was already submitted, and a path as the journal', () => {
    // @ts-expect-error submit() sends immediately; a batch needs submission()
    void gateway.batch([1], () => gateway.images.submit(image));
    // @ts-expect-error a batch needs images.submission(params), not params
    void gateway.batch([1], () => image);
    expectTypeOf(journal).toEqualTypeOf<Journal>();
    // @ts-expect-error a path is not a journal; use fileJournal(path)
    void gateway.batch([1], () => gateway.images.submission(image), { journal: 'run.jsonl' });
  });
});

test('recover() yields rows of any kind', () => {
  expectTypeOf<Yielded<ReturnType<Polygate['recover']>>>().toEqualTypeOf<
    BatchResult | ChatResult
  >();
});

test('a submission resolves to the same task as submit()', () => {
  const submission = gateway.images.submission(image, { route: 'generations' });
  expectTypeOf(submission).toEqualTypeOf<Submission<'image'>>();
  expectTypeOf<Awaited<ReturnType<typeof submission.send>>>().toEqualTypeOf<
    SubmittedTask<'image'>
  >();
});

test('fileJournal() returns a Journal', () => {
  expectTypeOf<ReturnType<typeof fileJournal>>().toEqualTypeOf<Journal>();
});
