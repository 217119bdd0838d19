import { describe, expect, test } from 'vitest';
import { judgeValue } from '../../../../src/core/agent-report/judge.js';
import { parseManual, readAgentHead } from '../../../../src/core/agent-report/manual/parse.js';
import type { Manual } from '../../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';

const SCHEMA = '```json\n{"type": "object", "properties": {"note": {"type": "string"}}}\n```\n';
const report = (findings: object, metadata: object = {}) => ({
  report_metadata: {
    agent_name: 'scout',
    task_id: 't-1',
    status: 'completed',
    verbosity_level: 'detailed',
    confidence_level: 0.9,
    ...metadata,
  },
  findings,
});
const block = (value: object) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
const withKeys = (keys: string, body = SCHEMA) => `---\nkind: subagent\n${keys}---\n${body}`;

function read(text: string, name = 'scout'): Manual {
  const { manual, issues } = parseManual(name, text);
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  return manual!;
}

/** `code:line` of each issue but the two warnings that every short manual has. */
function faults(text: string, name = 'scout'): string[] {
  const { manual, issues } = parseManual(name, text);
  const told = issues.filter(
    ({ code }) => code !== 'manual-purpose-missing' && code !== 'manual-example-missing',
  );
  expect(manual === null).toBe(issues.some(({ severity }) => severity === 'error'));
  return told.map(({ code, line }) => `${code}:${line ?? '-'}`);
}

describe('what a manual says', () => {
  test('kind and a schema are enough, and all else has a default', () => {
    const { manual, issues } = parseManual('scout', withKeys(''));
    expect(issues.map(({ code, line }) => [code, line])).toEqual([
      ['manual-purpose-missing', 2],
      ['manual-example-missing', undefined],
    ]);
    expect(manual).toMatchObject({
      name: 'scout',
      purpose: null,
      whenToUse: null,
      briefing: [{ name: 'goal', required: true }],
      summaryBudget: 4000,
      findings: { type: 'object', properties: { note: { type: 'string' } } },
      example: null,
      instructions: '',
    });
    expect(manual!.levels.map(({ level }) => level)).toEqual(['summary', 'detailed', 'comprehensive']);
    expect(manual!.levels.every(({ holds }) => holds !== '')).toBe(true);
  });

  test('every key', () => {
    const keys = `name: SCOUT
purpose: "  Looks around. "
when_to_use: [Before a walk, At night]
briefing:
  area: Where to look.
  goal: What to look for.
  strict: { about: Whether to stop., required: true }
  free:
verbosity: { detailed: All of it., summary: }
summary_budget: 900
`;
    expect(read(withKeys(keys))).toMatchObject({
      name: 'scout',
      purpose: 'Looks around.',
      whenToUse: '- Before a walk\n- At night',
      briefing: [
        { name: 'goal', about: 'What to look for.', required: true },
        { name: 'area', about: 'Where to look.', required: false },
        { name: 'strict', about: 'Whether to stop.', required: true },
        { name: 'free', about: '', required: false },
      ],
      levels: [{ level: 'summary' }, { level: 'detailed', holds: 'All of it.' }],
      summaryBudget: 900,
    });
  });

  test('briefing fields as a list, some with what they hold', () => {
    const { briefing } = read(withKeys('briefing:\n  - goal\n  - area: Where to look.\n'));
    expect(briefing.map(({ name, about }) => [name, about])).toEqual([
      ['goal', 'What the task must achieve.'],
      ['area', 'Where to look.'],
    ]);
  });

  test('levels come from the least to the most, whatever their order', () => {
    expect(read(withKeys('verbosity: [comprehensive, summary]\n')).levels.map(({ level }) => level)).toEqual([
      'summary',
      'comprehensive',
    ]);
  });

  test('a byte order mark and CRLF change nothing', () => {
    const text = withKeys('purpose: Looks.\n', `# Scout\n\nLook well.\n\n## Schema\n\n${SCHEMA}`);
    const manual = read(`\uFEFF${text.replaceAll('\n', '\r\n')}`);
    expect(manual).toEqual(read(text));
    expect(manual.instructions).toBe('Look well.');
  });

  test('the prose is the instructions, without its title, its blocks and headings that then hold nothing', () => {
    const body = `# The scout

Go and look.

## Ways

- one

\`\`\`sh
ls -l
\`\`\`

## Report

### Findings schema

${SCHEMA}
### Example

${block(report({}))}
## After that

    indented code

#tag

### Nothing here
`;
    expect(read(withKeys('', body)).instructions).toBe(
      'Go and look.\n\n## Ways\n\n- one\n\n```sh\nls -l\n```\n\n## After that\n\n    indented code\n\n#tag',
    );
  });

  test('a fence without an end gets one, so that it swallows nothing behind it', () => {
    expect(read(withKeys('', `${SCHEMA}\nLook.\n\n~~~~sh\nls\n`)).instructions).toBe(
      'Look.\n\n~~~~sh\nls\n~~~~',
    );
  });
});

describe('a frontmatter that cannot be used', () => {
  test.each([
    ['', 'manual-frontmatter:1'],
    ['# Scout\n', 'manual-frontmatter:1'],
    ['---\nkind: subagent\n', 'manual-frontmatter:1'],
    ['---\n---\n', 'manual-frontmatter:1'],
    ['---\n- kind\n---\n', 'manual-frontmatter:2'],
    ['\n---\nkind: subagent\npurpose: a: b\n---\n', 'manual-frontmatter:4'],
    ['---\nkind: subagent\nkind: subagent\n---\n', 'manual-frontmatter:3'],
    ['---\npurpose: x\n---\n', 'manual-kind:2'],
    ['---\npurpose: x\nkind: agent\n---\n', 'manual-kind:3'],
    ['---\nkind: [subagent]\n---\n', 'manual-kind:2'],
    ['---\nkind: planner\n---\n', 'manual-kind:2'],
  ])('%j is %s, and nothing else is said', (text, fault) => {
    expect(faults(text)).toEqual([fault]);
  });

  test.each([
    ['name: other\n', 'manual-field:3'],
    ['name: [scout]\n', 'manual-field:3'],
    ['purpose: 3\n', 'manual-field:3'],
    ['purpose: ""\n', 'manual-field:3'],
    ['when_to_use: { a: b }\n', 'manual-field:3'],
    ['when_to_use: [a, 3]\n', 'manual-field:3'],
    ['briefing: goal\n', 'manual-field:3'],
    ['briefing: [goal, 3]\n', 'manual-field:3'],
    ['briefing:\n  - goal\n  - two words\n', 'manual-field:5'],
    ['briefing:\n  - area\n  - area\n', 'manual-field:5'],
    ['briefing:\n  area: [x]\n', 'manual-field:4'],
    ['briefing:\n  area: { about: x, needed: true }\n', 'manual-field:4'],
    ['briefing:\n  area: { required: 1 }\n', 'manual-field:4'],
    ['verbosity: summary\n', 'manual-field:3'],
    ['verbosity: []\n', 'manual-field:3'],
    ['verbosity: [summary, 3]\n', 'manual-field:3'],
    ['verbosity:\n  summary: x\n  full: y\n', 'manual-field:5'],
    ['verbosity:\n  summary: [x]\n', 'manual-field:4'],
    ['summary_budget: 499\n', 'manual-field:3'],
    ['summary_budget: 1000001\n', 'manual-field:3'],
    ['summary_budget: "900"\n', 'manual-field:3'],
    ['summary_budget: 900.5\n', 'manual-field:3'],
    ['tools: Read\n', 'manual-key-unknown:3'],
    ['constructor: x\n', 'manual-key-unknown:3'],
    ['__proto__: x\n', 'manual-key-unknown:3'],
  ])('%j is %s', (keys, fault) => {
    expect(faults(withKeys(keys))).toEqual([fault]);
  });

  test('all problems are told at once, by line', () => {
    const keys = 'summary_budget: -1\ncolor: red\nverbosity: [loud]\n';
    const body = '```json\n{"type": "array"}\n```\n';
    expect(faults(withKeys(keys, body))).toEqual([
      'manual-field:3',
      'manual-key-unknown:4',
      'manual-field:5',
      'manual-schema-invalid:7',
    ]);
  });

  test.each([
    ['When-To-Use: x', 'when_to_use'],
    ['summaryBudget: 900', 'summary_budget'],
  ])('%s: did you mean %s?', (key, meant) => {
    const { issues } = parseManual('scout', withKeys(`${key}\n`));
    expect(issues.find(({ code }) => code === 'manual-key-unknown')?.hint).toBe(`Did you mean \`${meant}\`?`);
  });

  test('other keys, and those whose right name is there as well: the keys are listed', () => {
    for (const keys of ['description: y\n', 'purpose: x\npurposes: y\n']) {
      const { issues } = parseManual('scout', withKeys(keys));
      const hint = issues.find(({ code }) => code === 'manual-key-unknown')?.hint;
      expect(hint).toMatch(/^The keys of a manual: kind, name, purpose, .*summary_budget\.$/);
    }
  });
});

describe('the schema', () => {
  const chosen = (body: string) => Object.keys(read(withKeys('', body)).findings.properties as JsonObject);
  const schemaOf = (name: string) => block({ properties: { [name]: {} } });

  test('is an object in a JSON block, named so or not', () => {
    expect(chosen('```\n{"properties": {"a": {}}}\n```\n')).toEqual(['a']);
    expect(chosen('~~~jsonc\n{"properties": {"a": {}}}\n~~~\n')).toEqual(['a']);
    expect(chosen(`\`\`\`yaml\na: 1\n\`\`\`\n\`\`\`json\n[1]\n\`\`\`\n${schemaOf('a')}`)).toEqual(['a']);
  });

  test('stands under a heading that names it, if there are several', () => {
    expect(chosen(`# Scout\n${schemaOf('a')}# The FINDINGS\n${schemaOf('b')}`)).toEqual(['b']);
    expect(chosen(`# JSON Schema\n${schemaOf('a')}# Scout\n${schemaOf('b')}`)).toEqual(['a']);
  });

  test('one block that cannot be read is no rival of one that can', () => {
    expect(chosen(`${schemaOf('a')}\`\`\`json\n"findings": {…}\n\`\`\`\n`)).toEqual(['a']);
  });

  test.each([
    ['No block at all.\n', 'manual-schema-missing:-'],
    ['```yaml\ntype: object\n```\n', 'manual-schema-missing:-'],
    ['```json\n[]\n```\n', 'manual-schema-missing:-'],
    ['<!--\n```json\n{"type": "object"}\n```\n-->\n', 'manual-schema-missing:-'],
    [`${SCHEMA}${SCHEMA}`, 'manual-schema-ambiguous:7'],
    [`# Schema\n${SCHEMA}${SCHEMA}`, 'manual-schema-ambiguous:8'],
    ['```json\n{\n  "type": object\n}\n```\n', 'manual-schema-invalid:6'],
    ['```json\n{"type": "object", "type": "object"}\n```\n', 'manual-schema-invalid:5'],
    ['```json\n{"type": "array"}\n```\n', 'manual-schema-invalid:4'],
    ['```json\n{"required": ["a"]}\n```\n', 'manual-schema-invalid:4'],
    ['```json\n{"type": ["object", "null"]}\n```\n', 'manual-schema-invalid:4'],
    ['```json\n{"type": "object", "required": "a"}\n```\n', 'manual-schema-invalid:4'],
    ['```json\n{"properties": {"a": {"$ref": "#/$defs/b"}}}\n```\n', 'manual-schema-invalid:4'],
    ['```json\n{"properties": {"a": {"pattern": "("}}}\n```\n', 'manual-schema-invalid:4'],
    [`\`\`\`json\n${'{"not":'.repeat(250)}{}${'}'.repeat(250)}\n\`\`\`\n`, 'manual-schema-invalid:5'],
  ])('%j is %s', (body, fault) => {
    expect(faults(withKeys('', body))).toEqual([fault]);
  });

  test.each([
    ['{"properties": {\n"a": {"x-verbosity": "full"}}}', 6],
    ['{"properties": {"a": {"items": {\n"properties": {\n"b": {"x-verbosity": 3}}}}}}', 7],
    ['{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {\n"b": {"x-verbosity": null}}}', 6],
    ['{"properties": {},\n"x-verbosity": "detailed"}', 6],
  ])('the mark in %j is no level', (schema, line) => {
    expect(faults(withKeys('', `\`\`\`json\n${schema}\n\`\`\`\n`))).toEqual([`manual-mark-unknown:${line}`]);
  });

  test('a property may be called x-verbosity, and a mark may say summary', () => {
    const schema = { properties: { 'x-verbosity': { type: 'string' }, a: { 'x-verbosity': 'summary' } } };
    expect(faults(withKeys('', block(schema)))).toEqual([]);
  });

  test('a context map is the standard one, with what else the manual says of it', () => {
    const own = {
      type: 'string',
      description: 'Where.',
      minItems: 1,
      maxItems: 2,
      'x-verbosity': 'detailed',
    };
    const manual = read(
      withKeys('', block({ properties: { context_map: own }, additionalProperties: false })),
    );
    expect(manual.findings.properties).toMatchObject({
      context_map: { description: 'Where.', minItems: 1, maxItems: 2, 'x-verbosity': 'detailed' },
    });
    const codes = (map: JsonValue, level = 'detailed') =>
      judgeValue(report({ context_map: map }, { verbosity_level: level }) as unknown as JsonValue, {
        manualOf: () => manual,
        asked: { agent: null, taskId: null, verbosity: null },
        lenient: false,
      }).issues.map(({ code }) => code);
    expect(codes([['a', null]])).toEqual([]);
    expect(codes([{ text: 'a', uri: 'repo://a' }, 'b'])).toEqual(['context-map-form']);
    expect(codes({ 'repo://a': 'a' })).toEqual(['context-map-form']);
    expect(codes([['a', null]], 'summary')).toEqual(['findings-level']);
    for (const wrong of ['a', [], {}, ['a', 'b', 'c'], { a: null, b: null, c: null }])
      expect(codes(wrong).filter((code) => code !== 'context-map-form')).not.toEqual([]);
  });
});

describe('the example', () => {
  const withExample = (value: object) => withKeys('', `${SCHEMA}\n${block(value)}`);

  test('is a report that keeps the manual', () => {
    const example = report({ note: 'x' });
    expect(read(withExample(example)).example).toEqual(example);
    expect(read(withExample(report({}, { agent_name: 'Scout' }))).example).not.toBeNull();
  });

  test.each([
    ['findings that the schema refuses', report({ note: 3 })],
    ['a field of the contract that is missing', { report_metadata: { agent_name: 'scout' }, findings: {} }],
    ['another agent', report({}, { agent_name: 'other' })],
    ['metadata that is no object', { report_metadata: 1 }],
  ])('%s: not', (_, value) => {
    const { manual, issues } = parseManual('scout', withExample(value));
    const told = issues.filter(({ severity }) => severity === 'error');
    expect(manual).toBeNull();
    expect(told.length).toBeGreaterThan(0);
    for (const { code, line, message } of told) {
      expect([code, line]).toEqual(['manual-example-invalid', 8]);
      expect(message).toMatch(/^The example report does not match the manual: .+ \(\$.*\)$/);
    }
  });

  test('a level that the manual does not offer: not', () => {
    const text = withKeys('verbosity: [summary]\n', `${SCHEMA}\n${block(report({}))}`);
    expect(faults(text)).toEqual(['manual-example-invalid:9']);
  });

  test('JSON that cannot be read: not, and the line is its own', () => {
    const broken = '```json\n{\n  "report_metadata": {},\n  "findings": oops\n}\n```\n';
    expect(faults(withKeys('', `${SCHEMA}${broken}`))).toEqual(['manual-example-invalid:10']);
  });

  test('of several the one that tells most is used, and each must keep the manual', () => {
    const [little, much] = ['summary', 'comprehensive'].map((verbosity_level) =>
      report({}, { verbosity_level }),
    );
    const text = withKeys('', `${SCHEMA}${block(little!)}${block(much!)}${block(little!)}`);
    expect(read(text).example).toEqual(much);
    expect(faults(`${text}${block(report({ note: 1 }))}`)).toEqual(['manual-example-invalid:16']);
  });

  test('many faults are not told without end', () => {
    const schema = block({ properties: { list: { items: { type: 'string' } } } });
    const text = withKeys('', `${schema}${block(report({ list: Array(50).fill(1) }))}`);
    expect(faults(text)).toHaveLength(10);
  });
});

describe('hostile manuals', () => {
  test.each([
    ['open fences', '```json\n{"a": '.repeat(30_000)],
    ['small blocks', '```json\n{}\n```\n'.repeat(30_000)],
    ['headings', '# \n'.repeat(200_000)],
    ['lists in lists', Array.from({ length: 500 }, (_, n) => `${' '.repeat(2 * n)}- a\n`).join('')],
    ['line ends', '\n'.repeat(500_000)],
    [
      'bad marks',
      block({
        properties: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [`k${n}`, { 'x-verbosity': n }]),
        ),
      }),
    ],
  ])('%s are refused', (_, body) => {
    const { manual, issues } = parseManual('scout', withKeys('', body));
    expect(manual).toBeNull();
    expect(issues.length).toBeLessThan(120);
  });

  test.each([
    ['keys', Array.from({ length: 5000 }, (_, n) => `k${n}: 1\n`).join('')],
    ['fields', `briefing:\n${Array.from({ length: 5000 }, (_, n) => `  - no name ${n}\n`).join('')}`],
    ['nesting', `purpose: ${'['.repeat(50_000)}\n`],
    ['tokens', `purpose: [${'a,'.repeat(400_000)}]\n`],
  ])('a frontmatter of many %s has few issues', (_, keys) => {
    const { issues } = parseManual('scout', withKeys(keys));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThan(120);
  });
});

test('the head of any agent file', () => {
  expect(readAgentHead('---\nkind: planner\npurpose: Plans.\n---\nPrompt.\n')).toEqual({
    kind: 'planner',
    purpose: 'Plans.',
  });
  expect(readAgentHead('---\nkind: subagent\npurpose: [a]\n---\n')).toEqual({
    kind: 'subagent',
    purpose: null,
  });
  expect(readAgentHead('---\nkind: Planner\n---\n')).toEqual({ kind: null, purpose: null });
  expect(readAgentHead('no frontmatter')).toEqual({ kind: null, purpose: null });
});
