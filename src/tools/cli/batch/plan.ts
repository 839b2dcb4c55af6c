import type { Model } from 'polygate';

import { nearestName } from '../../../wire/types/nearest-name.ts';
import { isNonEmptyString, textOf } from '../../../wire/types/type-guards.ts';
import { suggestion } from '../arguments.ts';
import { batchKinds } from '../command-options.ts';
import { kindOfModel } from '../params.ts';
import type { BatchKind } from '../params.ts';
import { checkJson, convertCell, quoted, paramTypes } from './cells.ts';
import type { ParamType } from './cells.ts';
import type { Problem, Table, TableRow } from './table.ts';

/** A row that is ready to be sent. */
export interface PlannedRow {
  readonly line: number;
  readonly id: string;
  readonly kind: BatchKind;
  readonly model: string;
  readonly prompt: string;
  /** Instructions of a chat. */
  readonly system?: string | undefined;
  /** All other fields of the request. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Checks all rows of a table. Problems are added to `problems`; the rows can be sent only if there are none. */
export function planRows(
  table: Table,
  {
    models,
    kind: givenKind,
    model: givenModel,
    params: shared,
  }: {
    /** The models of the service. */
    readonly models: readonly Model[];
    /** The kind of all rows; by default, that of their models. */
    readonly kind: BatchKind | undefined;
    /** The model of rows that name none. */
    readonly model: string | undefined;
    /** Params of rows that do not set them. */
    readonly params: Readonly<Record<string, unknown>>;
  },
  problems: Problem[],
): PlannedRow[] {
  const known = new Map(models.map((model) => [model.id, model]));
  const kind = givenKind ?? kindOfTable(table, givenModel, known);
  // If no model is known, the columns of any kind are.
  const types = new Map((kind ? [kind] : batchKinds).flatMap((one) => [...paramTypes(one)]));
  const inputs = kind === 'speech' ? ['text', 'prompt'] : ['prompt', 'text'];
  const inputColumns = inputs.filter((name) => table.columns.includes(name));
  const own = [
    'id',
    'model',
    ...inputs,
    ...(kind === undefined || kind === 'chat' ? ['system'] : []),
  ];
  reportColumns(table, [...own, ...types.keys()], problems);
  if (inputColumns.length === 2)
    problems.push({ line: table.headerLine, message: 'has prompt and text; keep one' });
  if (inputColumns.length === 0 && table.rows.length > 0) {
    problems.push({ line: table.headerLine, message: `there is no column ${inputs[0]}` });
  }
  const lines = new Map<string, number>();
  return table.rows.map((row, index) => {
    const report = (message: string) => problems.push({ line: row.line, message });
    const id = idOf(row, table, index, report);
    const first = lines.get(id);
    if (first !== undefined) report(`id ${quoted(id)} is that of line ${first}`);
    else if (id !== '') lines.set(id, row.line);
    const model = textOf(row.cells.model)?.trim() || givenModel || '';
    const rowKind = checkModel(model, { kind, givenKind, known }, report);
    const prompt = inputColumns.map((name) => row.cells[name]).find(isNonEmptyString) ?? '';
    if (inputColumns.length > 0 && prompt.trim() === '') report(`has no ${inputColumns[0]}`);
    const cells = paramsOf(row, types, table.format === 'jsonl', report);
    const params = sortByName({ ...shared, ...cells });
    const system = textOf(row.cells.system);
    return { line: row.line, id, kind: rowKind ?? 'image', model, prompt, system, params };
  });
}

/** The kind of the first row whose model is known. */
function kindOfTable(
  { rows }: Table,
  givenModel: string | undefined,
  known: ReadonlyMap<string, Model>,
): BatchKind | undefined {
  for (const { cells } of rows) {
    const model = known.get(textOf(cells.model)?.trim() || givenModel || '');
    const kind = model && kindOfModel(model);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function reportColumns(
  { columns, format, rows, headerLine }: Table,
  known: readonly string[],
  problems: Problem[],
): void {
  for (const column of columns) {
    if (column === '' || known.includes(column)) continue;
    const line = format === 'jsonl' ? rows.find(({ cells }) => column in cells)?.line : headerLine;
    const hint = suggestion(nearestName(column, known));
    problems.push({ line: line ?? headerLine, message: `unknown column ${quoted(column)}${hint}` });
  }
}

function idOf(
  row: TableRow,
  { columns }: Table,
  index: number,
  report: (message: string) => void,
): string {
  if (!columns.includes('id')) return String(index + 1);
  const id = textOf(row.cells.id)?.trim() ?? '';
  if (id === '') report('has no id');
  else if (/\p{C}/u.test(id) || id.length > 200)
    report('has an id that is too long or not printable');
  // The journal has the repetitions of a failed row under such ids.
  else if (/ \(retry \d+\)$/.test(id)) report(`id ${quoted(id)} must not end in "(retry …)"`);
  return id;
}

/** Checks that there is a model of the right kind. */
function checkModel(
  model: string,
  {
    kind,
    givenKind,
    known,
  }: {
    /** The kind of all rows. */
    readonly kind: BatchKind | undefined;
    /** The kind that the user has chosen. */
    readonly givenKind: BatchKind | undefined;
    readonly known: ReadonlyMap<string, Model>;
  },
  report: (message: string) => void,
): BatchKind | undefined {
  if (model === '') report('has no model; -m sets that of all rows');
  const found = known.get(model);
  if (model !== '' && found === undefined) {
    // A key may use models that it cannot list.
    if (givenKind !== undefined) return givenKind;
    const hint = suggestion(nearestName(model, [...known.keys()])) || ';';
    report(
      `unknown model ${quoted(model)}${hint} npx polygate models lists them; --kind allows others`,
    );
  }
  const own = found && kindOfModel(found);
  if (found !== undefined && own === undefined && givenKind === undefined) {
    report(`model ${model} has the type ${String(found.type)}: set --kind`);
  }
  if (own !== undefined && own !== kind && givenKind === undefined) {
    report(
      `model ${model} is for ${own}, but that of the first row for ${kind}; use one file for each`,
    );
  }
  return kind;
}

/** A request must not change if a column is moved: its key can be used for the same request only. */
function sortByName(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(params).toSorted();
  return Object.fromEntries(names.map((name) => [name, params[name]]));
}

function paramsOf(
  { cells }: TableRow,
  types: ReadonlyMap<string, ParamType>,
  isJson: boolean,
  report: (message: string) => void,
): Record<string, unknown> {
  const params: [string, unknown][] = [];
  for (const [name, cell] of Object.entries(cells)) {
    const type = types.get(name);
    if (type === undefined) continue;
    const text = typeof cell === 'string' ? cell : '';
    const converted = isJson ? checkJson(cell, type) : convertCell(text, type);
    if ('problem' in converted) report(`${name} ${converted.problem}`);
    else params.push([name, converted.value]);
  }
  return Object.fromEntries(params);
}
