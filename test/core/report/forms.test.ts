import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderContract } from '../../../src/core/report/contract.js';
import { isReport, renderMirrored } from '../../../src/core/report/mirrored.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { ParsedReport } from '../../../src/core/report/parsed-report.js';
import { anyRun } from './arbitrary-run.js';

// Reports as other programs and models write them: every form that the formats show, in texts of our own.

const HEADER = `# Execution Report: Move the "price" module
- **Overall Status:** Partial 🟡
- **Original Plan:** [07/plan.md](/07/plan.md)
- **Actions:** 5 Total / 4 Approved / 1 Skipped
- **Outcomes:** 3 Succeeded / 1 Failed
`;

const MIRRORED = `${HEADER}
## Applied State Changes

### \`Active Context\`
- **Status:** Approved
\`\`\`\`
[+] lib/price.js # It moves next.
\`\`\`\`

### \`Memos\`
- **Status:** Skipped
- **Reason:** Memos can wait.
\`\`\`\`
[+] Prices live in lib.
[-] Prices live in src.
\`\`\`\`

## Action Log

### \`RESEARCH\`
- **Status:** Approved ✅
- **Execution:** Success 🟢
- **Description:** Look how others round.

#### Execution Details
**Output:**
\`\`\`\`json
[{"url": "https://example.com/round", "title": "Rounding"}]
\`\`\`\`

### \`CREATE\`
- **Status:** Approved ✅
- **Execution:** Success 🟢
- **File Path:** [lib/price.js](/lib/price.js)
- **Description:** The new place.

### \`EDIT\`
- **Status:** Approved ✅
- **Execution:** Failure 🔴
- **File Path:** [src/shop.js](/src/shop.js)
- **Description:** Import from there.

#### Execution Details
**Error:**
\`\`\`\`
FIND is not in the file.
...
\`\`\`\`

### \`CHAT_WITH_USER\`
- **Status:** Approved ✅
- **Execution:** Success 🟢

#### Execution Details
**User Reply:**
\`\`\`\`
Go ahead.
\`\`\`\`

### \`INVOKE\`
- **Status:** Skipped 🟡
- **Reason:** First the edit.
- **Agent:** Reviewer
`;

const CONTRACT = `# Execution Report

**Run Summary:**
- **Status:** PARTIAL_SUCCESS
- **Start Time:** 2026-03-14T09:26:53Z
- **End Time:** 2026-03-14T09:26:58Z
- **Duration:** 5.23 seconds

**Environment:**
- **Operating System:** darwin
- **Working Directory:** /srv/shop

---

## Action Log

### Action 1: read

- **Status:** SUCCESS
- **Details:** File 'lib/price.js' was read.
- **Output:**
\`\`\`
export const price = 3;
\`\`\`

---

### Action 2: execute

- **Status:** FAILURE
- **Details:** The command failed.
- **Output:**
\`\`\`
1 of 4
\`\`\`
- **Error:**
\`\`\`
price.test.js failed
\`\`\`

---

### Action 3: edit

- **Status:** SKIPPED
- **Details:** User rejected this action. These changes have not been implemented, and the previous state is still the current one.
- **Reason:** "It is the wrong file."
`;

function read<Status extends ParsedReport['status']>(text: string, status: Status) {
  const report = parseReport(text);
  if (report.status !== status) throw new Error(JSON.stringify(report));
  return report as Extract<ParsedReport, { status: Status }>;
}

const mirrored = () => read(MIRRORED, 'mirrored');

/** What encodings, terminals and chats make of a picture, and models that leave it out. */
const MANGLERS: [string, (picture: string) => string][] = [
  ['left out', () => ''],
  ['as question marks', (picture) => ` ${'?'.repeat(Buffer.byteLength(picture.trim()))}`],
  ['as replacement characters', () => ' \ufffd\ufffd'],
  ['as its bytes in Latin-1', (picture) => ` ${Buffer.from(picture.trim()).toString('latin1')}`],
  [
    'as its bytes in Windows-1252',
    (picture) => ` ${new TextDecoder('windows-1252').decode(Buffer.from(picture.trim()))}`,
  ],
  ['half lost', (picture) => ` ${picture.trim().slice(0, 1)}`],
  ['with a selector behind it', (picture) => `${picture}\ufe0f`],
  ['as a name', () => ' :large_yellow_circle:'],
  ['without its space', (picture) => picture.trim()],
];

describe('pictures are no part of a status', () => {
  test.each(MANGLERS)('%s', (_, mangle) => {
    const text = MIRRORED.replaceAll(/ (?:🟢|🟡|🔴|✅)$/gmu, mangle);
    expect(text).not.toBe(MIRRORED);
    expect(parseReport(text)).toEqual(mirrored());
  });

  test('in any report', () => {
    fc.assert(
      fc.property(anyRun, fc.constantFrom(...MANGLERS), (run, [, mangle]) => {
        const text = renderMirrored(run);
        const line =
          /^(- \*\*(?:Overall Status|Status|Execution):\*\* (?:Completed|Partial|Failed|Skipped|Approved|Success|Failure|Not run))( (?:🟢|🟡|🔴|✅))$/gmu;
        // Content of a block and a plan's own metadata may look like a status; it is not one, and stays.
        fc.pre(
          text.match(line)?.length ===
            1 +
              run.actions.length +
              run.actions.filter(({ decision }) => decision.status === 'approved').length,
        );
        const mangled = text.replaceAll(line, (_, status, picture) => status + mangle(picture));
        expect(parseReport(mangled)).toEqual(parseReport(text));
      }),
      { numRuns: 300 },
    );
  });

  test('and no other words are', () => {
    for (const word of ['Partial (1 of 2)', 'Partial success', 'Partial, 3 left', 'Approximately'])
      expect(parseReport(MIRRORED.replace('Partial 🟡', word))).toEqual({
        status: 'refused',
        reason: `Line 2: Overall Status is "${word}"; it must be one of Completed, Partial, Failed, Skipped.`,
      });
  });
});

describe('the mirrored report', () => {
  test('has its facts', () => {
    const { plan, overall, counts, stateChanges, actions, tip } = mirrored();
    expect({ plan, overall, counts, tip }).toEqual({
      plan: { title: 'Move the "price" module', path: '07/plan.md' },
      overall: 'Partial',
      counts: { total: 5, approved: 4, skipped: 1, succeeded: 3, failed: 1 },
      tip: false,
    });
    expect(stateChanges.map(({ decision }) => decision)).toEqual([
      { status: 'approved' },
      { status: 'skipped', reason: 'Memos can wait.' },
    ]);
    expect(actions.map(({ type, outcome }) => [type, outcome])).toEqual([
      [
        'RESEARCH',
        {
          status: 'success',
          output: { text: '[{"url": "https://example.com/round", "title": "Rounding"}]\n', language: 'json' },
        },
      ],
      ['CREATE', { status: 'success' }],
      ['EDIT', { status: 'failure', error: { text: 'FIND is not in the file.\n...\n' } }],
      ['CHAT_WITH_USER', { status: 'success', reply: 'Go ahead.' }],
      ['INVOKE', { status: 'not-run' }],
    ]);
    expect(actions[4]).toMatchObject({
      decision: { status: 'skipped', reason: 'First the edit.' },
      metadata: { Agent: 'Reviewer' },
    });
  });

  test.each(['Error Output', 'Standard Error'])('calls an error also %s', (label) => {
    expect(parseReport(MIRRORED.replace('**Error:**', `**${label}:**`))).toEqual(mirrored());
  });

  test.each(['Standard Output', 'API Response'])('calls an output also %s', (label) => {
    expect(parseReport(MIRRORED.replace('**Output:**', `**${label}:**`))).toEqual(mirrored());
  });

  test('needs neither counts nor state changes, nor more of a skipped action than why', () => {
    const text = `# Execution Report: Small
- **Overall Status:** Skipped
- **Original Plan:** [path/to/plan.md](/path/to/plan.md)

## Action Log

### \`INVOKE\`
- **Status:** Skipped 🟡
- **Reason:** Not yet.
`;
    const { counts, actions, overall } = read(text, 'mirrored');
    expect({ counts, actions, overall }).toEqual({
      counts: undefined,
      overall: 'Skipped',
      actions: [
        {
          type: 'INVOKE',
          metadata: {},
          decision: { status: 'skipped', reason: 'Not yet.' },
          outcome: { status: 'not-run' },
        },
      ],
    });
  });
});

describe('the contract report', () => {
  test('needs no id and no plan', () => {
    const { id, plan, overall, durationMs, environment, actions } = read(CONTRACT, 'contract');
    expect({ id, plan, overall, durationMs, environment }).toEqual({
      id: null,
      plan: { title: null, path: null },
      overall: 'PARTIAL_SUCCESS',
      durationMs: 5230,
      environment: { os: 'darwin', cwd: '/srv/shop' },
    });
    expect(actions.map(({ type, outcome }) => [type, outcome])).toEqual([
      [
        'READ',
        {
          status: 'success',
          summary: "File 'lib/price.js' was read.",
          output: { text: 'export const price = 3;\n' },
        },
      ],
      [
        'EXECUTE',
        {
          status: 'failure',
          summary: 'The command failed.',
          output: { text: '1 of 4\n' },
          error: { text: 'price.test.js failed\n' },
        },
      ],
      ['EDIT', { status: 'not-run' }],
    ]);
    expect(actions[2]!.decision).toEqual({ status: 'skipped', reason: 'It is the wrong file.' });
  });

  test.each([
    ['a rule after the last action', `${CONTRACT}\n---\n`],
    ['the empty fences that the template leaves at its end', `${CONTRACT}\n---\n\n\`\`\`\n\n\`\`\`\n`],
    ['no rules between actions', CONTRACT.replaceAll('\n---\n', '')],
    ['action names in capitals', CONTRACT.replace('1: read', '1: READ').replace('3: edit', '3: `EDIT`')],
    ['a reason without quotes', CONTRACT.replace('"It is the wrong file."', 'It is the wrong file.')],
    ['more decimals', CONTRACT.replace('5.23', '5.2300')],
    ['a short unit', CONTRACT.replace('5.23 seconds', '5.23s')],
  ])('may have %s', (_, text) => {
    expect(text).not.toBe(CONTRACT);
    expect(parseReport(text)).toEqual(read(CONTRACT, 'contract'));
  });

  test('may end with a tip, in whatever words', () => {
    const text = `${CONTRACT}\n---\n\n> **Tip:** This is long. Keep what matters, then drop it.\n`;
    expect(parseReport(text)).toEqual({ ...read(CONTRACT, 'contract'), tip: true });
  });

  test('of any run, without what is ours alone', () => {
    fc.assert(
      fc.property(anyRun, ({ continues: _, ...run }) => {
        const text = renderContract(run);
        const cut = text.replace(
          /^- \*\*Run:\*\*[\s\S]*?(?=\n- \*\*Interrupted:\*\*|\n\n\*\*Environment:\*\*)/m,
          '',
        );
        fc.pre(!/^- \*\*(?:Run|Plan|Plan File):\*\*/m.test(cut.slice(0, cut.indexOf('**Environment:**'))));
        expect(
          parseReport(
            cut.replace('\n\n- **Interrupted', '\n- **Interrupted').replace('seconds\n\n\n', 'seconds\n\n'),
          ),
        ).toEqual({
          ...parseReport(text),
          id: null,
          plan: { title: null, path: null },
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a refusal says what is wrong, and where', () => {
  test.each([
    [
      'no overall status',
      MIRRORED.replace(/^- \*\*Overall.*\n/m, ''),
      'Line 2: the header has no Overall Status.',
    ],
    ['no plan', MIRRORED.replace(/^- \*\*Original.*\n/m, ''), 'Line 2: the header has no Original Plan.'],
    [
      'a plan without link',
      MIRRORED.replace(/\[07.*/, '07/plan.md'),
      'Line 3: the Original Plan is not a link from the root.',
    ],
    [
      'another word for approved',
      MIRRORED.replace('Approved ✅', 'Accepted ✅'),
      'Line 26: Status is "Accepted"; it must be one of Approved, Skipped.',
    ],
    [
      'an action without status',
      MIRRORED.replace('- **Status:** Approved ✅\n', ''),
      'Line 26: the RESEARCH does not start with its Status.',
    ],
    [
      'an approved action without execution',
      MIRRORED.replace('- **Execution:** Success 🟢\n', ''),
      'Line 27: the RESEARCH is approved and has no Execution after its Status.',
    ],
    [
      'a skipped action without reason',
      MIRRORED.replace('- **Reason:** First the edit.\n', ''),
      'Line 67: the INVOKE is skipped and has no Reason after its Status.',
    ],
    [
      'two outputs',
      MIRRORED.replace('**Error:**', '**Output:**\n````\na\n````\n\n**Output:**'),
      'Line 54: Output is given twice.',
    ],
    [
      'changes without a block',
      MIRRORED.replace('````\n[+] lib/price.js # It moves next.\n````\n', ''),
      'Line 10: Active Context has no block with its changes.',
    ],
    ['no duration', CONTRACT.replace(/^- \*\*Duration.*\n/m, ''), 'Line 3: the Run Summary has no Duration.'],
    [
      'a duration in words',
      CONTRACT.replace('5.23 seconds', 'not long'),
      'Line 7: Duration is "not long"; it must be in seconds, such as "5.23 seconds".',
    ],
    ['an action left out', CONTRACT.replace('Action 2', 'Action 5'), 'Line 28: expected "### Action 2: …".'],
    [
      'an action without details',
      CONTRACT.replace("- **Details:** File 'lib/price.js' was read.\n", ''),
      'Line 17: action 1 has no Details after its Status.',
    ],
  ])('%s', (_, text, reason) => {
    expect(parseReport(text)).toEqual({ status: 'refused', reason });
  });
});

describe('a report is known as one', () => {
  test('by its first lines', () => {
    for (const text of [
      MIRRORED,
      CONTRACT,
      `\ufeff${CONTRACT}`,
      MIRRORED.slice(0, 200),
      HEADER.replace(/🟡/u, ''),
    ])
      expect(isReport(text)).toBe(true);
  });

  test('and a plan about one is not', () => {
    for (const text of [
      '# Execution Report\n',
      '# Execution Report: Write it\n- **Status:** Green 🟢\n',
      '',
      'x',
    ])
      expect(isReport(text)).toBe(false);
  });
});
