import { expect, test } from 'vitest';

import { checkJson, convertCell, paramTypes } from '../../../../src/tools/cli/batch/cells.ts';
import { withAnswers } from '../../../../src/tools/cli/batch/report.ts';
import {
  decodeTable,
  formatOf,
  parseTable,
  readHeader,
} from '../../../../src/tools/cli/batch/table.ts';
import type { Problem } from '../../../../src/tools/cli/batch/table.ts';

const read = (text: string, format: 'csv' | 'tsv' | 'jsonl' = 'csv') => {
  const problems: Problem[] = [];
  const { rows, columns } = parseTable(decodeTable(Buffer.from(text), 'x'), format, problems);
  return { rows, columns, problems };
};

test('a table may have a mark at its beginning, CRLF, quotes, and line breaks in its cells', () => {
  const text = '\uFEFFid,prompt\r\n1,"a ""b""\nc"\r\n\r\n\r\n2,"d, e"\r\n3,"\r\n\r\n"\r\n4,f';
  const { rows, columns, problems } = read(text);
  expect([columns, problems]).toEqual([['id', 'prompt'], []]);
  expect(rows).toEqual([
    { line: 2, cells: { id: '1', prompt: 'a "b"\nc' } },
    { line: 6, cells: { id: '2', prompt: 'd, e' } },
    { line: 7, cells: { id: '3', prompt: '\r\n\r\n' } },
    { line: 10, cells: { id: '4', prompt: 'f' } },
  ]);
});

test.each([
  ['id,prompt', ','],
  ['id;prompt;"a,b,c,d"', ';'],
  ['id\tprompt', '\t'],
  ['prompt', ','],
  ['\n \n;;;\nid,prompt', ','],
  ['size 5"\tid\tprompt', '\t'],
  ['"a ""b"", c";id', ';'],
])('in the header %j, cells are separated by %j', (header, delimiter) => {
  expect(readHeader(`${header}\n1;2,3`).delimiter).toBe(delimiter);
});

test('a cell of many megabytes is read', () => {
  const long = 'a,b;'.repeat(3_000_000);
  expect(readHeader(`id\t"${long}"\n1\t2`).delimiter).toBe('\t');
  const { rows, problems } = read(`id,prompt\n1,"${long}"\n`);
  expect(problems).toEqual([]);
  expect(String(rows[0]?.cells.prompt).length).toBe(long.length);
});

test.each<[string, string, line: number]>([
  ['an empty line', '\nid;prompt\n1;a, b, c\n', 3],
  ['empty lines, CRLF and tabs', '\r\n\r\nid\tprompt\r\n1\ta, b, c\r\n', 4],
  ['a line of spaces', '  \nid;prompt\n1;a, b, c', 3],
  ['a row of empty cells', ';;\n"";\nid;prompt\n1;a, b, c', 4],
  ['carriage returns only', 'id;prompt\r1;a, b, c\r', 2],
  ['an empty line and carriage returns only', '\rid\tprompt\r1\ta, b, c\r', 3],
  ['line feeds after a header with CRLF', 'id;prompt\r\n1;a, b, c\n', 2],
  ['the line sep=; of Excel', 'sep=;\r\nid;prompt\r\n1;a, b, c\r\n', 3],
  ['such a line in quotes, with a mark', '\uFEFF"sep=;"\nid;prompt\n1;a, b, c\n', 3],
  ['such a line with an unusual separator', 'SEP=|\nid|prompt\n1|a, b, c\n', 3],
  ['such a line with a tab', 'sep=\t\nid\tprompt\n1\ta, b, c\n', 3],
])('a table is read with %s', (_, text, line) => {
  const { columns, rows, problems } = read(text);
  expect([columns, problems]).toEqual([['id', 'prompt'], []]);
  expect(rows).toEqual([{ line, cells: { id: '1', prompt: 'a, b, c' } }]);
});

test('JSONL may have a mark, CRLF, and carriage returns only', () => {
  for (const end of ['\r\n', '\r']) {
    const { rows, problems } = read(`\uFEFF{"id":1}${end}${end}{"id":2}${end}`, 'jsonl');
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      { line: 1, cells: { id: 1 } },
      { line: 3, cells: { id: 2 } },
    ]);
  }
});

test('a problem of the header has the number of its line', () => {
  expect(read('\n\nid;;id\n1;2;3').problems.map(({ line }) => line)).toEqual([3, 3]);
});

test('empty cells are left out, rows of empty cells are skipped, and surplus cells are a problem', () => {
  const { rows, problems } = read('id;prompt;n\n1;a;\n;;\n2;b;3;4\n3\n');
  expect(rows.map(({ cells }) => cells)).toEqual([
    { id: '1', prompt: 'a' },
    { id: '2', prompt: 'b', n: '3' },
    { id: '3' },
  ]);
  expect(problems).toEqual([{ line: 4, message: 'has 4 cells for 3 columns' }]);
});

test('columns without a name and columns that occur twice are problems', () => {
  const messages = read('id,,id\n1,2,3').problems.map(({ message }) => message);
  expect(messages).toEqual(['column 2 has no name', 'column id occurs twice']);
});

test.each([
  ['csv', 'id,prompt\n1,"a\n2,b\n3,c\n', 2],
  ['csv', 'id,prompt\r\n1,"a\r\nb"\r\n\r\n2,"c ""d\r\n3,e', 5],
  ['csv', 'id;prompt\n"1\n";"a\nb\n', 3],
  ['csv', '\uFEFFsep=;\nid;prompt\n1;"a\nb\n', 3],
  ['tsv', 'id\tprompt\n\n1\t"a\n2\t"b\n', 3],
] as const)(
  'the line of a quote that is not closed is reported in one line: %s %j',
  (format, text, line) => {
    expect(() => read(text, format)).toThrow(
      RegExp(`^Quote Not Closed: the cell that begins at line ${line} with "`),
    );
  },
);

test.each<[string, 'csv' | 'tsv']>([
  ['of a TSV', 'tsv'],
  ['of a CSV with tabs', 'csv'],
])('a quote inside an unquoted cell %s is an ordinary character, also in the copy', (_, format) => {
  const lines = [
    'id\tprompt\tsize',
    '1\tthe 5" nail\t6"',
    '2\t5" by 6"\t"a "" b\tc\n"',
    '3\tend"\t',
  ];
  const text = `${lines.join('\n')}\n`;
  const { rows, problems } = read(text, format);
  expect(problems).toEqual([]);
  expect(rows).toEqual([
    { line: 2, cells: { id: '1', prompt: 'the 5" nail', size: '6"' } },
    { line: 3, cells: { id: '2', prompt: '5" by 6"', size: 'a " b\tc\n' } },
    { line: 5, cells: { id: '3', prompt: 'end"' } },
  ]);
  const table = parseTable(text, format, []);
  const copy = withAnswers(table, 'answer', ['7"', '"8" or 9', 'x']);
  expect(copy).toContain('1\tthe 5" nail\t6"\t7"\n');
  expect(read(copy, format).rows.map(({ cells }) => cells)).toEqual([
    { ...rows[0]?.cells, answer: '7"' },
    { ...rows[1]?.cells, answer: '"8" or 9' },
    { ...rows[2]?.cells, answer: 'x' },
  ]);
});

test('a TSV cell that begins with words in quotes is taken as it is', () => {
  expect(read('id\tprompt\n1\t"Best" nail', 'tsv').rows[0]?.cells.prompt).toBe('"Best" nail');
});

test.each(['1\t"a\n2\tb "c', '1\t"a\tb "c\n', '1\t"a\n2\tb'])(
  'a quote at the start of a TSV cell that nothing closes joins no cells: %j',
  (rows) => {
    expect(() => read(`id\tprompt\n${rows}`, 'tsv')).toThrow(/Quote Not Closed/);
  },
);

test('a quote inside an unquoted cell of a CSV is still an error', () => {
  expect(() => read('id,prompt\n1,the 5" nail')).toThrow(/Opening Quote/);
});

test('JSONL keeps the types of its values, and names the line of what is no object', () => {
  const { rows, problems } = read(
    '{"id":1,"prompt":"a","n":2,"size":null}\n\n[1]\n{"id":2}',
    'jsonl',
  );
  expect(rows).toEqual([
    { line: 1, cells: { id: 1, prompt: 'a', n: 2 } },
    { line: 4, cells: { id: 2 } },
  ]);
  expect(problems).toEqual([{ line: 3, message: 'is not a JSON object' }]);
});

test('text in UTF-16 is recognized, and other encodings are rejected', () => {
  const utf16 = Buffer.from('\uFEFFid\tprompt', 'utf16le');
  expect(decodeTable(utf16, 'x')).toBe('\uFEFFid\tprompt');
  expect(decodeTable(utf16.swap16(), 'x')).toBe('\uFEFFid\tprompt');
  expect(() => decodeTable(utf16.subarray(2), 'x.csv')).toThrow(/not UTF-8/);
  expect(() => decodeTable(Buffer.from([0x69, 0xe9, 0x20]), 'x.csv')).toThrow(/not UTF-8/);
});

test.each([
  ['a.csv', '', 'csv'],
  ['a.TSV', '', 'tsv'],
  ['a.jsonl', '', 'jsonl'],
  ['stdin', '  {"id":1}', 'jsonl'],
  ['stdin', 'id,prompt', 'csv'],
])('%s that begins with %j is %s', (name, text, format) => {
  expect(formatOf(name, text)).toBe(format);
});

test.each([
  ['2', 'integer', 2],
  [' -2 ', 'integer', -2],
  ['0.5', 'number', 0.5],
  ['1e3', 'number', 1000],
  ['TRUE', 'boolean', true],
  ['false', 'boolean', false],
  ['007', 'string', '007'],
  ['["a"]', 'array', ['a']],
  ['https://a https://b', 'array', ['https://a', 'https://b']],
  ['{"a":1}', 'object', { a: 1 }],
] as const)('the cell %j of type %s becomes %j', (text, type, value) => {
  expect(convertCell(text, type)).toEqual({ value });
});

test.each([
  ['two', 'integer', "must be an integer, not 'two'"],
  ['1.5', 'integer', "must be an integer, not '1.5'"],
  ['0,5', 'number', "must be a number such as 0.5, not '0,5'"],
  ['yes', 'boolean', "must be true or false, not 'yes'"],
  ['[1', 'array', /must be a JSON array/],
  ['x', 'object', "must be a JSON object, not 'x'"],
] as const)('the cell %j of type %s is a problem', (text, type, problem) => {
  expect(convertCell(text, type)).toEqual({ problem: expect.stringMatching(problem) });
});

test('values of JSONL are checked and not converted', () => {
  expect(checkJson(2, 'integer')).toEqual({ value: 2 });
  expect(checkJson('2', 'integer')).toEqual({ problem: `must be an integer, not '"2"'` });
  expect(checkJson([1], 'object')).toEqual({ problem: "must be an object, not '[1]'" });
});

test('the params of a kind are those of its schema, with their types', () => {
  expect(Object.fromEntries(paramTypes('image'))).toMatchObject({
    n: 'integer',
    size: 'string',
    reference_image_urls: 'array',
  });
  expect(Object.fromEntries(paramTypes('speech'))).toMatchObject({
    speed: 'number',
    sample_rate: 'number',
    subtitle_enable: 'boolean',
    pronunciation_dict: 'object',
  });
  expect(Object.fromEntries(paramTypes('chat'))).toMatchObject({
    temperature: 'number',
    max_tokens: 'integer',
    response_format: 'object',
    store: 'boolean',
  });
  for (const kind of ['image', 'video', 'music', 'speech', 'chat'] as const) {
    expect(paramTypes(kind).has('model')).toBe(false);
    expect(paramTypes(kind).has('stream')).toBe(false);
  }
});

test('answers are added in the format of the table, and reading the copy gives the same cells', () => {
  const text = 'id;prompt\n1;"a;b"\n2;"say ""hi"""\n3;\n';
  const table = parseTable(text, 'csv', []);
  const copy = withAnswers(table, 'answer', ['x;y', 'line 1\nline 2', undefined]);
  expect(copy).toBe('id;prompt;answer\n1;"a;b";"x;y"\n2;"say ""hi""";"line 1\nline 2"\n3;;\n');
  const answers = parseTable(copy, 'csv', []).rows.map(({ cells }) => cells.answer);
  expect(answers).toEqual(['x;y', 'line 1\nline 2', undefined]);
  const lines = withAnswers(parseTable('{"id":1}', 'jsonl', []), 'answer', ['a']);
  expect(lines).toBe('{"id":1,"answer":"a"}\n');
});

test.each<[string, string, 'csv' | 'jsonl', string]>([
  [
    'a mark and CRLF',
    '\uFEFFid,prompt\r\n1,"a\nb"\r\n',
    'csv',
    '\uFEFFid,prompt,answer\r\n1,"a\nb",x\r\n',
  ],
  ['carriage returns only', 'id;prompt\r1;a', 'csv', 'id;prompt;answer\r1;a;x\r'],
  [
    'the line sep=;',
    'sep=;\r\nid;prompt\r\n1;a\r\n',
    'csv',
    'sep=;\r\nid;prompt;answer\r\n1;a;x\r\n',
  ],
  ['a mark and CRLF', '\uFEFF{"id":1}\r\n', 'jsonl', '\uFEFF{"id":1,"answer":"x"}\r\n'],
])('a copy keeps %s', (_, text, format, copy) => {
  expect(withAnswers(parseTable(text, format, []), 'answer', ['x'])).toBe(copy);
});

test.each([
  ['=HYPERLINK("https://host.example")', true],
  ['+1+cmd', true],
  ['-2+3', true],
  ['@SUM(A1)', true],
  ['\t=1', true],
  ['＝1', true],
  ['- an item', true],
  ['-5', false],
  ['+1,5 %', true],
  ['+1.5%', false],
  ['a=b', false],
])('in a copy, the answer %j is written as text: %s', (answer, isText) => {
  const copy = withAnswers(parseTable('id,prompt\n=1,-x\n', 'csv', []), 'answer', [answer]);
  const { rows } = read(copy);
  // The cells of the user stay as they are.
  expect(rows[0]?.cells).toEqual({
    id: '=1',
    prompt: '-x',
    answer: isText ? `'${answer}` : answer,
  });
  const json = withAnswers(parseTable('{"id":1}', 'jsonl', []), 'answer', [answer]);
  expect(JSON.parse(json).answer).toBe(answer);
});
