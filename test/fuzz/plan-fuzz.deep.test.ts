import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPlan } from '../../src/core/plan/check.js';
import { parsePlan } from '../../src/core/plan/parse/parse.js';
import { readPlan, repairPlan } from '../../src/core/plan/read.js';
import { writePlan } from '../../src/core/plan/write.js';
import { MemoryTree } from '../../src/core/tree.js';
import { completePlan, sparsePlan } from '../core/plan/arbitrary-plan.js';
import { planishText } from '../core/plan/arbitrary-text.js';
import { HEAD } from '../core/plan/head.js';
import { SOAK } from '../workspace/faults/random.js';

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
    fc.assert(fc.property(text, goThrough), { numRuns: SOAK ? 3000 : 250 });
  });
});

const CREATE = '### `CREATE`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n';
const EDIT = '### `EDIT`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n\n';
/** How long a hostile text is, about: a megabyte in the long form. */
const SIZE = SOAK ? 1_000_000 : 250_000;
/** As many lines as make up that size when each is one character longer than the one before. */
const STEPS = SOAK ? 1400 : 700;

const fill = (unit: string, size = SIZE): string => unit.repeat(Math.ceil(size / unit.length));
const many = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join('');

/** Texts made to keep a reader busy: each is done within the time that a test has. */
const HOSTILE: Record<string, () => string> = {
  'fences alone': () => fill('```\n'),
  'fences in a block': () => HEAD + CREATE + fill('```\n'),
  'fences of changing length': () => HEAD + CREATE + fill('```\n````\n`````\n``````\n'),
  'fences of growing length': () => HEAD + CREATE + many(STEPS, (i) => `${'`'.repeat(3 + i)}\n`),
  'fences of shrinking length': () => HEAD + CREATE + many(STEPS, (i) => `${'`'.repeat(STEPS + 3 - i)}\n`),
  'fences of two kinds': () => HEAD + CREATE + fill('~~~\n```\n'),
  'action headings': () => HEAD + fill('### `CREATE`\n', 1.3 * SIZE),
  'action headings without a title': () => `## Action Plan\n${fill('### `READ`\n', 1.6 * SIZE)}`,
  'action headings that may be none': () => HEAD + fill('### create\n', 1.1 * SIZE),
  'headings far apart': () => HEAD + fill('### create\n\n\n\n\n\n\n\n\n\n\n\n'),
  'headings before a long gap': () => HEAD + fill('### create\n', SIZE / 20) + '\n'.repeat(SIZE),
  'titles before a long gap': () => fill('# T\n', SIZE / 20) + '\n'.repeat(SIZE) + HEAD,
  'labels before a long gap': () => HEAD + EDIT + fill('`FIND:`\n', SIZE / 20) + '\n'.repeat(SIZE),
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
  'lists in lists': () => `${HEAD}### \`READ\`\n${many(STEPS, (i) => `${' '.repeat(i)}- a\n`)}`,
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
  'metadata of one label': () => `${HEAD}### \`READ\`\n${fill('- **a:**\n', SIZE / 2)}`,
  'metadata of many labels': () => `${HEAD}### \`READ\`\n${many(SIZE / 20, (i) => `- **a${i}:** x\n`)}`,
  'metadata of a known label': () => `${HEAD}### \`READ\`\n${fill('- **Resource:** x\n', SIZE / 2)}`,
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

describe('a hostile text is read to its end', () => {
  test.each(Object.keys(HOSTILE))('%s', (name) => {
    const text = HOSTILE[name]!();
    expect(text.length).toBeGreaterThan(SIZE / 3);
    const { plan } = readPlan(text);
    if (plan !== null) {
      checkPlan(plan, tree);
      writePlan(plan);
    }
  });
});
