import { expect, test } from 'vitest';
import { renderContract } from '../../../src/core/report/contract.js';
import { approved, runWith, skipped } from './sample-run.js';

const UNCHANGED = 'These changes have not been implemented, and the previous state is still the current one.';

test('a run as the contract has it', () => {
  const run = runWith({
    overall: 'Partial',
    interrupted: 'Ctrl-C.',
    actions: [
      approved('CREATE', {}, { status: 'success', summary: "File 'src/main.py' created." }),
      approved(
        'EXECUTE',
        { Description: 'x' },
        {
          status: 'failure',
          summary: 'The command failed.',
          exitCode: 2,
          expectedOutcome: { met: false, missing: ['ok'] },
          output: { text: 'out\n' },
          error: { text: '```\n' },
        },
      ),
      skipped('EDIT', {}, 'Not the right file.'),
      skipped('CHAT_WITH_USER', {}, 'Not run: no terminal to answer in.', 'teddy'),
      skipped('PRUNE', {}, null, 'decisions'),
    ],
  });
  expect(renderContract(run)).toBe(`# Execution Report

**Run Summary:**
- **Status:** PARTIAL_SUCCESS
- **Start Time:** 2026-03-14T09:26:53.000Z
- **End Time:** 2026-03-14T09:26:58.230Z
- **Duration:** 5.23 seconds
- **Run:** 20260314-092653-k3x9
- **Plan:** Show prices
- **Plan File:** [plan.md](/plan.md)
- **Interrupted:** Ctrl-C.

**Environment:**
- **Operating System:** linux
- **Working Directory:** /srv/shop

---

## Action Log

### Action 1: create

- **Status:** SUCCESS
- **Details:** File 'src/main.py' created.

---

### Action 2: execute

- **Status:** FAILURE
- **Details:** The command failed.
- **Exit Code:** 2
- **Expected Outcome:** not met
- **Missing:** ok
- **Output:**
\`\`\`
out
\`\`\`
- **Error:**
\`\`\`\`
\`\`\`
\`\`\`\`

---

### Action 3: edit

- **Status:** SKIPPED
- **Details:** User rejected this action. ${UNCHANGED}
- **Reason:** "Not the right file."

---

### Action 4: chat_with_user

- **Status:** SKIPPED
- **Details:** Not run. ${UNCHANGED}
- **Reason:** "Not run: no terminal to answer in."

---

### Action 5: prune

- **Status:** SKIPPED
- **Details:** User rejected this action. ${UNCHANGED}
`);
});

test('issues and changes of state stand before the log', () => {
  const run = runWith({
    overall: 'Failed',
    refused: true,
    issues: [{ code: 'bom', severity: 'warning', message: 'x' }],
    stateChanges: [
      {
        section: 'Memos',
        changes: '[+] a\n',
        decision: { status: 'skipped', by: 'teddy', reason: 'Not run: the plan was refused.' },
        notApplied: [],
      },
    ],
  });
  const report = renderContract(run);
  expect(report).toContain('- **Status:** FAILURE\n');
  expect(report.slice(report.indexOf('---'))).toBe(`---

## Validation Errors

### \`bom\`
- **Severity:** warning
- **Message:** x

---

## Applied State Changes

### \`Memos\`
- **Status:** Skipped
- **Reason:** Not run: the plan was refused.
\`\`\`\`
[+] a
\`\`\`\`

---

## Action Log
`);
});

test.each([
  [0, '0.00'],
  [4, '0.00'],
  [5, '0.01'],
  [1005, '1.01'],
  [999.9, '1.00'],
  [3_600_000, '3600.00'],
])('%d ms are %s seconds', (durationMs, seconds) => {
  expect(renderContract(runWith({ durationMs }))).toContain(`- **Duration:** ${seconds} seconds\n`);
});

test.each([
  ['Completed', 'SUCCESS'],
  ['Partial', 'PARTIAL_SUCCESS'],
  ['Failed', 'FAILURE'],
  ['Skipped', 'FAILURE'],
] as const)('%s is %s', (overall, status) => {
  expect(renderContract(runWith({ overall }))).toContain(`**Run Summary:**\n- **Status:** ${status}\n`);
});
