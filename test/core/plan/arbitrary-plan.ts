import fc from 'fast-check';
import { RATIONALE_SECTIONS } from '../../../src/core/plan/grammar.js';
import type {
  Action,
  ChatAction,
  ConcludeAction,
  CreateAction,
  EditAction,
  ExecuteAction,
  InvokeAction,
  Plan,
  PruneAction,
  ReadAction,
  ResearchAction,
  Resource,
} from '../../../src/core/plan/types.js';

/** Lines that mean something to Markdown, to a plan, or to a careless string function. */
export const HOSTILE_LINES = [
  '```',
  '````',
  '`````js',
  '``` end',
  '~~~',
  '~~~~md',
  '  ```',
  '    ```',
  '\t```',
  'a ``` b',
  '# Title',
  '## Rationale',
  '## Memos',
  '## Action Plan',
  '### `CREATE`',
  '### `EDIT`',
  '### create',
  '### 1. Synthesis',
  '`FIND:`',
  '`REPLACE:`',
  '**FIND:**',
  '### REPLACE',
  '- **File Path:** [a](/a)',
  '- **Description:** x',
  '  - nested',
  '[+] a # b',
  '---',
  '',
  '   ',
  '\t',
  'text',
  '<!--',
  '-->',
  '#',
  'C# \\# #',
  '$& $$ $1',
  'a\r',
  '\r',
  'a\u2028b',
  '\ufeff',
  '\u0000',
  '\ud800',
  '🟢',
  '1. one',
  '> quote',
  '\\',
] as const;

const freeLine = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\n', ' '));
const hostileLine = fc.oneof(
  { arbitrary: fc.constantFrom(...HOSTILE_LINES), weight: 4 },
  { arbitrary: freeLine, weight: 1 },
);
const hostileLines = fc.array(hostileLine, { maxLength: 10 });

const fileText = hostileLines.map((lines) => lines.map((line) => `${line}\n`).join(''));
const editText = hostileLines.map((lines) => lines.join('\n'));

/** One line as a value can be read: with ink at both ends. */
const value = fc
  .oneof(
    fc.constantFrom(
      'Green 🟢',
      '`code` and **bold**',
      '# no heading',
      '"quoted"',
      '$&',
      'a: b',
      '[a](/b)',
      '- x',
    ),
    freeLine,
  )
  .map((text) => text.trim())
  .filter((text) => text !== '' && !/^\(optional\)/i.test(text));

const query = editText.map((text) => text.trim()).filter((text) => text !== '');

const name = fc.constantFrom(
  'src',
  'docs',
  '__main__.py',
  '[id]',
  '(group)',
  '.env',
  'a b.md',
  'C#.cs',
  '100%',
  'a%20b',
  '*star*',
  'ünïcode',
  '$&',
  "it's",
  'a)b',
  '(a',
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const url = fc.constantFrom(
  'https://example.com',
  'http://localhost:8080/a_(b)?c=d#e',
  'https://example.com/[x]',
);
const resource: fc.Arbitrary<Resource> = fc.oneof(
  path.map((target): Resource => ({ kind: 'file', target })),
  url.map((target): Resource => ({ kind: 'url', target })),
);

const messageLine = fc.constantFrom(
  'Shall we begin?',
  '',
  'See `a` and [b](/b).',
  '- a point',
  '#### Detail',
  '> quoted',
  '`FIND:`',
  '**Note:** done',
  '## Rationale',
);
/** A fenced block whose content is anything at all, as a message may hold one. */
const messageBlock = hostileLines.map((lines) => {
  const longest = (lines.join('\n').match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return [fence, ...lines, fence].join('\n');
});
const message = fc
  .array(fc.oneof({ arbitrary: messageLine, weight: 4 }, { arbitrary: messageBlock, weight: 1 }), {
    maxLength: 5,
  })
  .chain((parts) =>
    fc
      .constantFrom('Dear reader,', '- first', '1. one', '> quoted', '**Now:** go', '#### Now')
      .map((first) => [first, ...parts].join('\n').trimEnd()),
  );

const variable = fc.tuple(
  fc.constantFrom('A', 'PATH', '_x1', '__proto__', 'constructor'),
  fc.oneof(fc.constantFrom('', ' ', '"', '`x`', "a'b", 'a: b=c', '$HOME', '\\'), freeLine),
);
const env = fc
  .uniqueArray(variable, { selector: ([key]) => key, maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));

const extra = fc
  .option(value, { nil: undefined })
  .map((text): Record<string, string> => (text === undefined ? {} : { 'Own Label': text }));

/** `complete` leaves nothing out that the format would warn about. */
function anyAction(complete: boolean): fc.Arbitrary<Action> {
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => (complete ? arbitrary : fc.option(arbitrary));
  const common = { line: fc.constant(0), metadata: complete ? fc.constant({}) : extra };
  const description = optional(value);
  return fc.oneof(
    fc.record<CreateAction>({
      ...common,
      type: fc.constant('CREATE'),
      path,
      description,
      content: complete ? fileText.filter((text) => text !== '') : fileText,
      overwrite: fc.boolean(),
    }),
    fc.record<ReadAction>({
      ...common,
      type: fc.constant('READ'),
      resource,
      description,
      lines: fc.option(
        fc
          .tuple(fc.integer({ min: 1, max: 99 }), fc.nat(99))
          .map(([from, more]) => ({ from, to: from + more })),
      ),
    }),
    fc.record<EditAction>({
      ...common,
      type: fc.constant('EDIT'),
      path,
      description,
      edits: fc.array(
        fc
          .record({ find: editText, replace: editText, line: fc.constant(0) })
          .filter(({ find, replace }) => find !== '' && find !== replace),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record<ExecuteAction>({
      ...common,
      type: fc.constant('EXECUTE'),
      description,
      expectedOutcome: optional(value),
      cwd: fc.option(path),
      env,
      command: fileText.filter((text) => text.trim() !== ''),
      timeout: fc.option(fc.integer({ min: 1, max: 999_999 })),
      allowFailure: fc.boolean(),
    }),
    fc.record<ResearchAction>({
      ...common,
      type: fc.constant('RESEARCH'),
      description,
      queries: fc.array(query, { minLength: 1, maxLength: 3 }),
    }),
    fc.record<ChatAction>({
      ...common,
      metadata: fc.constant({}),
      type: fc.constant('CHAT_WITH_USER'),
      message,
    }),
    fc.record<PruneAction>({ ...common, type: fc.constant('PRUNE'), resource, description }),
  );
}

const handoffResources = fc.array(resource, { maxLength: 2 });
const lastAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record<InvokeAction>({
    type: fc.constant('INVOKE'),
    line: fc.constant(0),
    metadata: fc.constant({}),
    agent: value,
    handoffResources,
    message: fc.oneof(fc.constant(''), message),
  }),
  fc.record<ConcludeAction>({
    type: fc.constant('CONCLUDE'),
    line: fc.constant(0),
    metadata: fc.constant({}),
    handoffResources,
    message: fc.oneof(fc.constant(''), message),
  }),
);

const comment = fc.option(fc.oneof(fc.constantFrom('', 'why', '# twice', 'a \\# b'), value));
const changeText = fc
  .oneof(
    fc.constantFrom('A fact.', 'C# is a language', '# first', 'a # b', '\\#', 'a \\', '[+] b', 'x##'),
    value,
  )
  .filter((text) => text.trim() !== '');
const op = fc.constantFrom('+' as const, '-' as const);
const line = fc.constant(0);

const sections = RATIONALE_SECTIONS.map((section, i) => `### ${i + 1}. ${section}\n`).join('');

function anyPlan(complete: boolean): fc.Arbitrary<Plan> {
  return fc.record({
    title: fc.oneof(value, fc.constantFrom('C #', '#', '##', 'a #', 'C#')),
    metadata: complete
      ? fc.record({ Status: value, 'Plan Type': value, Agent: value })
      : fc.dictionary(fc.constantFrom('Status', 'Agent', 'Own Label', 'constructor'), value),
    rationale: complete
      ? fileText.map((text) => sections + text)
      : fileText.filter((text) => text.trim() !== ''),
    activeContext: fc.array(fc.record({ op, path: fc.oneof(path, url), comment, line }), { maxLength: 2 }),
    memos: fc.array(fc.record({ op, text: changeText, comment, line }), { maxLength: 3 }),
    actions: fc
      .tuple(fc.array(anyAction(complete), { minLength: 1, maxLength: 4 }), fc.option(lastAction))
      .map(([actions, last]) => (last ? [...actions, last] : actions)),
  });
}

/** Plans that the format warns about nowhere. */
export const completePlan = anyPlan(true);
/** Plans that lack what may be lacking. */
export const sparsePlan = anyPlan(false);

/** A plan without what writing it down changes: its lines, and how its metadata was written. */
export function meaningOf(plan: Plan | null): unknown {
  return JSON.parse(
    JSON.stringify(plan, (key, held) => (key === 'line' ? undefined : held)),
    (key, held) => (key === 'metadata' ? undefined : held),
  );
}
