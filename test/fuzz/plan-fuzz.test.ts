import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPlan, parsePlan, readPlan, repairPlan, writePlan } from '../../src/formats/plan/index.js';
import { MemoryTree } from '../../src/formats/tree.js';
import { completePlan, sparsePlan } from '../formats/plan/arbitrary-plan.js';
import { planishText } from '../formats/plan/arbitrary-text.js';

const tree = new MemoryTree({ 'a.md': 'one\ntwo\n', 'src/a.ts': 'const a = 1;\n', docs: '' });

/** Everything that a text can go through; whatever comes of it, nothing may throw. */
function goThrough(text: string): void {
  repairPlan(text);
  for (const { plan } of [parsePlan(text), readPlan(text)]) {
    if (plan === null) continue;
    checkPlan(plan, tree, { memos: ['old'] });
    parsePlan(writePlan(plan));
  }
}

const anyString = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    .map((units) => String.fromCharCode(...units)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder().decode(bytes)),
);

/** Nothing but fences, in every length, indent and kind. */
const allFences = fc
  .array(
    fc
      .tuple(
        fc.nat(5),
        fc.constantFrom('`', '~'),
        fc.integer({ min: 3, max: 6 }),
        fc.constantFrom('', 'js', ' x y'),
      )
      .map(([indent, char, length, info]) => ' '.repeat(indent) + char.repeat(length) + info),
    { maxLength: 40 },
  )
  .map((lines) => lines.join('\n'));

/** A written plan with single units exchanged, taken out or put in. */
const flipped = fc
  .tuple(
    fc.oneof(completePlan, sparsePlan),
    fc.array(fc.tuple(fc.nat(2), fc.nat(), fc.oneof(fc.nat(0x7f), fc.nat(0xffff))), {
      minLength: 1,
      maxLength: 8,
    }),
  )
  .map(([plan, changes]) => {
    let text = writePlan(plan);
    for (const [kind, place, unit] of changes) {
      const at = place % (text.length + 1);
      const put = kind === 0 ? '' : String.fromCharCode(unit);
      text = text.slice(0, at) + put + text.slice(kind === 2 ? at : at + 1);
    }
    return text;
  });

describe('no text makes anything throw', () => {
  test.each([
    ['any string', anyString],
    ['fences alone', allFences],
    [
      'fences in a plan',
      allFences.map((fences) => `# T\n\n## Rationale\n${fences}\n## Action Plan\n### \`CREATE\`\n${fences}`),
    ],
    ['lines of plans', planishText],
    ['plans with flipped characters', flipped],
  ])('%s', (_, text) => {
    fc.assert(fc.property(text, goThrough), { numRuns: 500 });
  });
});

const HEAD = `# Title
- **Status:** Green
- **Plan Type:** Implementation
- **Agent:** Developer

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`

## Action Plan

`;
const CREATE = '### `CREATE`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n';
const EDIT = '### `EDIT`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n\n';
const MB = 1_000_000;

const fill = (unit: string, size = MB): string => unit.repeat(Math.ceil(size / unit.length));
const many = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join('');

/** Texts made to keep a reader busy: each is about 1 MB and done within the time that a test has. */
const HOSTILE: Record<string, () => string> = {
  'fences alone': () => fill('```\n'),
  'fences in a block': () => HEAD + CREATE + fill('```\n'),
  'fences of changing length': () => HEAD + CREATE + fill('```\n````\n`````\n``````\n'),
  'fences of growing length': () => HEAD + CREATE + many(1400, (i) => `${'`'.repeat(3 + i)}\n`),
  'fences of shrinking length': () => HEAD + CREATE + many(1400, (i) => `${'`'.repeat(1403 - i)}\n`),
  'fences of two kinds': () => HEAD + CREATE + fill('~~~\n```\n'),
  'action headings': () => HEAD + '### `CREATE`\n'.repeat(100_000),
  'action headings without a title': () => `## Action Plan\n${'### `READ`\n'.repeat(150_000)}`,
  'action headings that may be none': () => HEAD + '### create\n'.repeat(100_000),
  'headings far apart': () => HEAD + fill('### create\n\n\n\n\n\n\n\n\n\n\n\n'),
  'headings before a long gap': () => HEAD + fill('### create\n', 50_000) + '\n'.repeat(MB),
  'titles before a long gap': () => fill('# T\n', 50_000) + '\n'.repeat(MB) + HEAD,
  'labels before a long gap': () => HEAD + EDIT + fill('`FIND:`\n', 50_000) + '\n'.repeat(MB),
  'headings and fences in turn': () => HEAD + fill('### `CREATE`\n```\n'),
  'headings and two fences in turn': () => HEAD + fill('### `CREATE`\n```\n```js\n'),
  'headings and fences in an open block': () => `${HEAD}${CREATE}\`\`\`\`\`\n${fill('### `CREATE`\n```\n')}`,
  'sections and fences in turn': () => HEAD + fill('## Memos\n```\n## Rationale\n'),
  'edits without closing fences': () => HEAD + fill('### `EDIT`\n`FIND:`\n```\na\n`REPLACE:`\n```\nb\n```\n'),
  'labels and fences in turn': () => HEAD + EDIT + fill('`FIND:`\n```\n'),
  'pairs with one fence too many': () =>
    HEAD + EDIT + fill('`FIND:`\n```\na\n```\nz\n```\n`REPLACE:`\n```\nb\n```\n'),
  'creates with one fence too many': () => HEAD + fill(`${CREATE}\`\`\`\na\n\`\`\`\nx\n\`\`\`\n`),
  'pairs without number': () => HEAD + EDIT + fill('`FIND:`\n```\na\n```\n`REPLACE:`\n```\nb\n```\n'),
  'messages that open fences': () => HEAD + fill('### `CHAT_WITH_USER`\n```\nhi\n'),
  'queries that open fences': () => HEAD + fill('### `RESEARCH`\n```\n````\n'),
  'one line': () => fill('a'),
  'one line in a block': () => `${HEAD}${CREATE}\`\`\`\n${fill('a')}\n\`\`\`\n`,
  'one line of hashes': () => `# ${fill('#')}`,
  'one line of backticks': () => `${HEAD}${CREATE}${fill('`')}\na\n${fill('`')}\n`,
  'a title of white space': () => `# T${fill(' ')}x\n${HEAD}`,
  'comments that never close': () => HEAD + fill('<!--\n'),
  'comments in list items': () => HEAD + fill('- <!--\n'),
  'list markers in one line': () => `${HEAD}### \`READ\`\n${fill('- ')}`,
  'numbered list markers in one line': () => `${HEAD}### \`READ\`\n${fill('1. ')}`,
  'lists in lists': () => `${HEAD}### \`READ\`\n${many(1400, (i) => `${' '.repeat(i)}- a\n`)}`,
  'a list under one entry': () => `${HEAD}### \`READ\`\n- **a:** b\n${fill('  - x\n')}`,
  'fences under one entry': () => `${HEAD}### \`READ\`\n- **a:** b\n${fill('  ```\n')}`,
  'items that open fences': () => `${HEAD}### \`READ\`\n${fill('- ```\n')}`,
  'a tower of tabs': () => `${HEAD}### \`READ\`\n${fill('\t\t\t\t\t\t\t\t- a\n')}`,
  'opening brackets': () => `${HEAD}### \`READ\`\n- **Resource:** ${fill('[')}\n`,
  'seams of links': () => `${HEAD}### \`READ\`\n- **Resource:** [${fill('](')}\n`,
  'seams of angled links': () => `${HEAD}### \`READ\`\n- **Resource:** [${fill('](<')}\n`,
  'opening parentheses': () => `${HEAD}### \`READ\`\n- **Resource:** [a](${fill('(')}\n`,
  'stars in a value': () => `${HEAD}### \`READ\`\n- **Resource:** ${fill('*')}\n`,
  'underscores in a label': () => `${HEAD}### \`READ\`\n- **${fill('_')}\n`,
  'backticks in a variable': () => `${HEAD}### \`EXECUTE\`\n- **env:** ${fill('`*')}\n`,
  'slashes in a path': () => `${HEAD}### \`READ\`\n- **Resource:** [a](/${fill('a/../')}b)\n`,
  'metadata of one label': () => `${HEAD}### \`READ\`\n${fill('- **a:**\n', MB / 2)}`,
  'metadata of many labels': () => `${HEAD}### \`READ\`\n${many(50_000, (i) => `- **a${i}:** x\n`)}`,
  'metadata of a known label': () => `${HEAD}### \`READ\`\n${fill('- **Resource:** x\n', MB / 2)}`,
  memos: () => `# T\n\n## Rationale\n\`\`\`\na\n\`\`\`\n## Memos\n\`\`\`\n${fill('[+] a # b\n')}\`\`\`\n`,
  'hashes in a memo': () => `# T\n\n## Memos\n\`\`\`\n[+] ${fill(' \\#')}\n\`\`\`\n`,
  'white space in the rationale': () =>
    `# T\n\n## Rationale\n\`\`\`\n${fill(`###  ${' *'.repeat(30)}a\n`)}\`\`\`\n`,
  'chatter around': () => `${fill('well\n')}${HEAD}${CREATE}\`\`\`\na\n\`\`\`\n${fill('bye\n')}`,
  'fenced chatter behind a wrapper': () =>
    `\`\`\`markdown\n${HEAD}${CREATE}\`\`\`\na\n\`\`\`\n${fill('```\nbye\n')}`,
  'carriage returns': () => HEAD + fill('\r'),
  'NUL characters': () => HEAD + fill('\0'),
};

describe('a hostile megabyte is read to its end', () => {
  test.each(Object.keys(HOSTILE))('%s', { timeout: 10_000 }, (name) => {
    const text = HOSTILE[name]!();
    expect(text.length).toBeGreaterThan(MB / 3);
    const { plan } = readPlan(text);
    if (plan !== null) {
      checkPlan(plan, tree);
      writePlan(plan);
    }
  });
});
