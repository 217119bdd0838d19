import { describe, expect, test } from 'vitest';
import { readPlan } from '../../../src/core/plan/read.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { Run } from '../../../src/core/report/record.js';
import { approved, runWith, skipped } from './sample-run.js';

const FINISHER: Run = runWith({
  plan: { title: 'Research and Propose a New "Finisher" Agent Role', path: '01/plan.md' },
  overall: 'Partial',
  stateChanges: [
    {
      section: 'Active Context',
      changes: '[+] docs/briefs/01-finisher-agent-brief.md # Add the new brief to the working set.\n',
      decision: { status: 'approved', by: 'person' },
      notApplied: [],
    },
    {
      section: 'Memos',
      changes:
        "[+] A new 'Finisher' agent role is being explored.\n[-] The 'Architect' agent is responsible for all handoffs.\n",
      decision: { status: 'approved', by: 'person' },
      notApplied: [],
    },
  ],
  actions: [
    approved(
      'RESEARCH',
      {
        Description:
          'Research existing software development roles and CI/CD pipeline patterns related to finalization and release management.',
      },
      {
        status: 'success',
        summary: 'Found 2 pages.',
        output: {
          text: `[
  {"url": "https://example.com/release-manager", "title": "Release Manager Role"},
  {"url": "https://example.com/gitflow", "title": "GitFlow vs Trunk-Based"}
]
`,
          language: 'json',
        },
      },
    ),
    approved('CREATE', {
      'File Path': '[docs/briefs/01-finisher-agent-brief.md](/docs/briefs/01-finisher-agent-brief.md)',
      Description: 'Create the initial draft of the brief for the new "Finisher" agent.',
    }),
    approved(
      'EDIT',
      {
        'File Path': '[prompts/pathfinder.xml](/prompts/pathfinder.xml)',
        Description: "Temporarily add the Finisher agent to the Pathfinder's list of handoff targets.",
      },
      {
        status: 'failure',
        summary: 'FIND was not found.',
        error: { text: 'Patch failed: FIND block could not be located in prompts/pathfinder.xml.\n' },
      },
    ),
    approved(
      'CHAT_WITH_USER',
      {},
      {
        status: 'success',
        summary: 'Answered.',
        reply: 'Yes, this initial direction looks good. Please proceed with the research.',
      },
    ),
    skipped(
      'INVOKE',
      { Agent: 'Architect' },
      'I want to fix the failing EDIT action before handing off to the next agent.',
    ),
  ],
});

const FINISHER_REPORT = `# Execution Report: Research and Propose a New "Finisher" Agent Role
- **Overall Status:** Partial 🟡
- **Original Plan:** [01/plan.md](/01/plan.md)
- **Actions:** 5 Total / 4 Approved / 1 Skipped
- **Outcomes:** 3 Succeeded / 1 Failed

## Applied State Changes

### \`Active Context\`
- **Status:** Approved
\`\`\`\`
[+] docs/briefs/01-finisher-agent-brief.md # Add the new brief to the working set.
\`\`\`\`

### \`Memos\`
- **Status:** Approved
\`\`\`\`
[+] A new 'Finisher' agent role is being explored.
[-] The 'Architect' agent is responsible for all handoffs.
\`\`\`\`

## Action Log

### \`RESEARCH\`
- **Status:** Approved ✅
- **Execution:** Success 🟢
- **Description:** Research existing software development roles and CI/CD pipeline patterns related to finalization and release management.

#### Execution Details
**Output:**
\`\`\`\`json
[
  {"url": "https://example.com/release-manager", "title": "Release Manager Role"},
  {"url": "https://example.com/gitflow", "title": "GitFlow vs Trunk-Based"}
]
\`\`\`\`

### \`CREATE\`
- **Status:** Approved ✅
- **Execution:** Success 🟢
- **File Path:** [docs/briefs/01-finisher-agent-brief.md](/docs/briefs/01-finisher-agent-brief.md)
- **Description:** Create the initial draft of the brief for the new "Finisher" agent.

### \`EDIT\`
- **Status:** Approved ✅
- **Execution:** Failure 🔴
- **File Path:** [prompts/pathfinder.xml](/prompts/pathfinder.xml)
- **Description:** Temporarily add the Finisher agent to the Pathfinder's list of handoff targets.

#### Execution Details
**Error:**
\`\`\`\`
Patch failed: FIND block could not be located in prompts/pathfinder.xml.
\`\`\`\`

### \`CHAT_WITH_USER\`
- **Status:** Approved ✅
- **Execution:** Success 🟢

#### Execution Details
**User Reply:**
\`\`\`\`
Yes, this initial direction looks good. Please proceed with the research.
\`\`\`\`

### \`INVOKE\`
- **Status:** Skipped 🟡
- **Reason:** I want to fix the failing EDIT action before handing off to the next agent.
- **Agent:** Architect
`;

test("the format's own example comes out line by line", () => {
  expect(renderMirrored(FINISHER).split('\n')).toEqual(FINISHER_REPORT.split('\n'));
});

test('what an EXECUTE leaves stands in its order', () => {
  const run = runWith({
    actions: [
      approved(
        'EXECUTE',
        { Description: 'Try it.', env: '\n    - `A`: "1"' },
        {
          status: 'failure',
          summary: 'The command timed out.',
          exitCode: 1,
          ended: 'timed out after 10m',
          expectedOutcome: { met: false, missing: ['12.50 EUR', 'two\nlines'] },
          output: {
            text: 'one\n… 398 lines left out …\n400\n',
            whole: { file: '.teddy/runs/20260314-092653-k3x9/output/1.stdout', bytes: 1492, lines: 400 },
          },
          error: { text: 'no newline' },
          ranAs: '### `EXECUTE`\n````shell\nls\n````\n',
          interrupted: 'Its effects are not known.',
          notes: ['The first.', 'The second,\nin two lines.'],
        },
      ),
    ],
  });
  expect(logOf(run)).toBe(`### \`EXECUTE\`
- **Status:** Approved ✅
- **Execution:** Failure 🔴
- **Description:** Try it.
- **env:**
    - \`A\`: "1"
- **Modified by user:** yes
- **Interrupted:** Its effects are not known.
- **Note:** The first.
- **Note:** The second,
  in two lines.

#### Execution Details
**Exit Code:** 1

**Ended:** timed out after 10m

**Expected Outcome:** not met
- **Missing:** 12.50 EUR
- **Missing:** two
  lines

**Output:** in part; 400 lines, 1492 bytes in all, kept in [.teddy/runs/20260314-092653-k3x9/output/1.stdout](/.teddy/runs/20260314-092653-k3x9/output/1.stdout)
\`\`\`\`
one
… 398 lines left out …
400
\`\`\`\`

**Error:** no newline at its end
\`\`\`\`
no newline
\`\`\`\`

**Run As:**
\`\`\`\`\`
### \`EXECUTE\`
\`\`\`\`shell
ls
\`\`\`\`
\`\`\`\`\`
`);
});

test('metadata is mirrored as a plan has it', () => {
  const own = `- **Description:** Start it,
  then wait.

  A second paragraph.
- **Expected Outcome:** \`ok\`
- **cwd:** src
- **env:**
    - \`A\`: "b"
    - \`C\`: "d"
- **Status:** invented
- **Own Label:**`;
  const plan = `# A plan\n\n## Action Plan\n\n### \`EXECUTE\`\n${own}\n\`\`\`\`shell\nls\n\`\`\`\`\n`;
  const { metadata } = readPlan(plan).plan!.actions[0]!;
  expect(logOf(runWith({ actions: [skipped('EXECUTE', metadata, null)] }))).toBe(
    `### \`EXECUTE\`\n- **Status:** Skipped 🟡\n- **Reason:** No reason given.\n${own}\n`,
  );
});

test('a label that a plan invents is not taken for ours', () => {
  const metadata = {
    Reason: 'r',
    Execution: 'e',
    Status: 's',
    Matched: 'm',
    Note: 'n',
    'Modified by user': 'no',
    Interrupted: 'i',
  };
  const run = runWith({
    actions: [
      approved('EDIT', metadata, {
        status: 'success',
        summary: 'Done.',
        matched: 'by white space',
        notes: ['x'],
      }),
      skipped('EDIT', metadata, 'Reasons.'),
    ],
  });
  const [done, not] = actionsOf(run);
  expect(done).toMatchObject({ metadata, outcome: { matched: 'by white space', notes: ['x'] } });
  expect(not).toMatchObject({ metadata, decision: { reason: 'Reasons.' } });
  expect(logOf(run)).toContain(
    '- **Note\\:** n\n- **Modified by user\\:** no\n- **Interrupted\\:** i\n- **Matched:** by',
  );
});

test('a change of state that was skipped, and one that did not work out', () => {
  const changes = '[-] Prices are in cents.\n';
  const run = runWith({
    stateChanges: [
      {
        section: 'Active Context',
        changes: '',
        decision: { status: 'skipped', by: 'person', reason: 'Not now.\nLater.' },
        notApplied: [],
      },
      {
        section: 'Memos',
        changes,
        decision: { status: 'approved', by: 'yes' },
        notApplied: ['"Prices are in cents." is no memo.'],
      },
    ],
  });
  expect(renderMirrored(run)).toContain(`## Applied State Changes

### \`Active Context\`
- **Status:** Skipped
- **Reason:** Not now.
  Later.
\`\`\`\`
\`\`\`\`

### \`Memos\`
- **Status:** Approved
- **Not applied:** "Prices are in cents." is no memo.
\`\`\`\`
[-] Prices are in cents.
\`\`\`\`

## Action Log
`);
});

test('a refused plan has its issues before all else', () => {
  const run = runWith({
    plan: { title: null, path: '.teddy/runs/20260314-092653-k3x9/plan.md' },
    overall: 'Failed',
    refused: true,
    issues: [
      {
        code: 'find-missing',
        severity: 'error',
        message: 'FIND is not in src/a.js. The closest place:\n````\n1 a\n````',
        line: 12,
        action: 2,
        hint: 'Copy FIND from the file.',
      },
      { code: 'bom', severity: 'warning', message: 'A `BOM`.', line: 1, column: 1 },
    ],
  });
  expect(renderMirrored(run)).toBe(`# Execution Report: Unreadable plan
- **Overall Status:** Failed 🔴
- **Original Plan:** [.teddy/runs/20260314-092653-k3x9/plan.md](/.teddy/runs/20260314-092653-k3x9/plan.md)
- **Actions:** 0 Total / 0 Approved / 0 Skipped
- **Outcomes:** 0 Succeeded / 0 Failed

## Validation Errors

### \`find-missing\`
- **Severity:** error
- **Line:** 12
- **Action:** 2
- **Message:**
\`\`\`\`\`
FIND is not in src/a.js. The closest place:
\`\`\`\`
1 a
\`\`\`\`
\`\`\`\`\`
- **Hint:** Copy FIND from the file.

### \`bom\`
- **Severity:** warning
- **Line:** 1
- **Column:** 1
- **Message:** A \`BOM\`.

## Action Log
`);
});

test('an interrupted run says so in its header', () => {
  expect(renderMirrored(runWith({ interrupted: 'The run was killed.' }))).toContain(
    '- **Outcomes:** 0 Succeeded / 0 Failed\n- **Interrupted:** The run was killed.\n\n## Action Log\n',
  );
});

describe('a title', () => {
  test.each([
    '',
    ' a ',
    'a\nb',
    'a\r\nb',
    'C #',
    '#',
    'Unreadable plan',
    '### `EDIT`',
    '`"x"`',
    'a\n## Action Log\n',
  ])('%j comes back, and stays on its line', (title) => {
    const report = renderMirrored(runWith({ plan: { title, path: 'plan.md' } }));
    expect(parseReport(report)).toMatchObject({ plan: { title } });
    expect(report.split('\n')[1]).toBe('- **Overall Status:** Completed 🟢');
  });
});

function logOf(run: Run): string {
  return renderMirrored(run).split('## Action Log\n\n')[1]!;
}

function actionsOf(run: Run) {
  const report = parseReport(renderMirrored(run));
  if (report.status !== 'mirrored') throw new Error(`no mirrored report: ${JSON.stringify(report)}`);
  return report.actions;
}
