import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { Purpose } from '../../state/account.ts';
import type { ApiCall, Creation } from '../../state/api-call.ts';
import { CallCode, ViewCode } from '../code/view-code.tsx';
import { Choice } from './choice.tsx';
import { Field } from './field.tsx';
import { ModelSelect } from './model-select.tsx';
import { usd } from './money.tsx';
import { ProblemNote } from './problem-note.tsx';

interface CreateFormProps {
  /** The main input: a prompt of several lines, or a URL. */
  main: TextProps & { type?: 'url' };
  /** Further inputs of full width. */
  more?: ComponentChildren;
  /** The model, for calls that have one. */
  model?: { purpose: Purpose; value: string | undefined; onChange: (id: string) => void };
  /** Further inputs in one row. */
  children?: ComponentChildren;
  /** What the submit button says. */
  action: string;
  /** The price estimate in USD. */
  price?: number | undefined;
  isDisabled?: boolean;
  onSubmit: () => void;
  /** Further buttons. */
  buttons?: ComponentChildren;
  /** The call that the form would make now; undefined while something is missing. */
  call: ApiCall | undefined;
  /** State of the call, if the form waits for it. */
  creation?: Creation;
}

/** The form of all calls that create something. Ctrl+Enter submits it from any input. */
export function CreateForm(props: CreateFormProps) {
  const { main, model, price, creation, call } = props;
  const [tab, setTab] = useState<'form' | 'code'>('form');
  const isDisabled = props.isDisabled === true || creation?.isBusy === true;
  return (
    <form
      class="create-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        // A disabled button also disables the shortcut.
        if (!isDisabled) event.currentTarget.requestSubmit();
      }}
    >
      <div class="create-tabs" data-tab={tab}>
        <Choice hideLabel label="Show" options={tabs} value={tab} onChange={setTab} />
      </div>
      {tab === 'code' && call ? (
        <CallCode call={call} />
      ) : (
        <>
          {main.type === 'url' ? <TextField {...main} isMain /> : <TextArea {...main} isMain />}
          {props.more}
        </>
      )}
      <div class="create-row">
        {tab === 'form' && model && <ModelSelect {...model} />}
        {tab === 'form' && props.children}
        <div class="create-submit">
          {props.buttons}
          <button type="submit" class="primary" disabled={isDisabled}>
            {props.action} {price !== undefined && <span class="price">{usd(price)}</span>}
          </button>
        </div>
      </div>
      {creation?.problem && <ProblemNote problem={creation.problem} />}
      {creation?.done && (
        <p class="create-done">
          <span>{creation.done.text}</span> <ViewCode call={creation.done.call} />
        </p>
      )}
    </form>
  );
}

const tabs = [
  ['form', 'Form'],
  ['code', 'Code'],
] as const;

interface TextProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

interface TextFieldProps extends TextProps {
  type?: 'url';
  isOptional?: boolean;
  isMain?: boolean;
}

/** A labeled input of one line. */
export function TextField({ label, value, onChange, isOptional, isMain, type }: TextFieldProps) {
  const attributes = {
    required: isOptional !== true,
    value,
    'data-main-input': isMain,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange(currentTarget.value),
  };
  return (
    <Field label={label}>
      {type === 'url' ? <input type="url" {...attributes} /> : <input {...attributes} />}
    </Field>
  );
}

/** A labeled input of several lines. */
export function TextArea({ label, value, onChange, isMain }: TextProps & { isMain?: boolean }) {
  return (
    <Field label={label}>
      <textarea
        required
        rows={2}
        value={value}
        data-main-input={isMain}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  );
}
