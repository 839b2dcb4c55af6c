import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { consumer, serviceOf } from './language-service.ts';

const create = "gateway.chat.completions.create({ model: 'm', ";

describe('the compiler error for a type that is too wide', () => {
  test('names the role of a message', () => {
    for (const role of ['system', 'user', 'assistant', 'tool']) {
      const lines = errorsOf(`
        const content: string = 'Hi';
        const messages = [{ role: '${role}', content }];
        void ${create} messages });`);
      expect(lines[0]).toContain('{ role: string; content: string; }[]');
      expect(lines.join()).not.toContain('tool_call_id');
      expect(lines.at(-2)).toBe("Types of property 'role' are incompatible.");
      expect(lines.at(-1)).toMatch(/^Type 'string' is not assignable to type '.*"user"/);
    }
  });

  test('names the role for `stream()`, `parse()` and `run()`, and if only one message has a role of another type', () => {
    const messages = `
      const system = { role: 'system' as const, content: 'Be brief.' };
      const messages = [system, { role: 'user', content: 'Hi' }];`;
    for (const method of ['stream', 'parse', 'run']) {
      const call = `void gateway.chat.completions.${method}({ model: 'm', messages, tools: [], response_format: null! });`;
      expect(errorsOf(messages + call)).toContain("Types of property 'role' are incompatible.");
    }
  });

  test('names the type of an output format or a content part', () => {
    const incompatible = "Types of property 'type' are incompatible.";
    const format = `const response_format = { type: 'json_object' };`;
    expect(errorsOf(`${format} void ${create} messages: [], response_format });`)).toContain(
      incompatible,
    );
    const parts = `const content = [{ type: 'image_url', image_url: { url: 'https://a.example' } }];`;
    const messages = `messages: [{ role: 'user', content }]`;
    expect(errorsOf(`${parts} void ${create} ${messages} });`)).toContain(incompatible);
    const items = `const content = [{ type: 'text', text: 'A harbor' }];`;
    expect(errorsOf(`${items} void gateway.videos.generate({ model: 'm', content });`)).toContain(
      incompatible,
    );
  });
});

/** The lines of the only error in a program, without indentation. */
function errorsOf(program: string): string[] {
  const service = serviceOf(
    `import { Polygate } from '../../src/index.ts';\nconst gateway = new Polygate();\n${program}`,
  );
  const errors = service.getSemanticDiagnostics(consumer);
  expect(errors).toHaveLength(1);
  const [text] = errors.map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
  return (text ?? '').split('\n').map((line) => line.trim());
}
