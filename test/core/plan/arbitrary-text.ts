import fc from 'fast-check';
import { writePlan } from '../../../src/core/plan/write.js';
import { completePlan, HOSTILE_LINES, sparsePlan } from './arbitrary-plan.js';

const PLAN_LINES = [
  '#Title',
  '# Second title',
  '- **Status:** Green',
  '* Agent: x',
  '## Rationale',
  '## Active Context',
  '## Memos',
  '## Action Plan',
  '## Notes',
  '### `CREATE`',
  '### `READ`',
  '### `EDIT`',
  '### `EXECUTE`',
  '### `RESEARCH`',
  '### `CHAT_WITH_USER`',
  '### `INVOKE`',
  '### `CONCLUDE`',
  '### `PRUNE`',
  '### DANCE',
  '### Edit',
  '- **File Path:** [src/a.ts](/src/a.ts)',
  '- **File Path:** `src/b.py`',
  '- **File Path:** ../c',
  '- **Resource:** [a](/a) or [b](https://b.example)',
  '- **Resource:** [x](</a)b>)',
  '- **Description:** As agreed.',
  '- **Description:** # not a heading',
  '- **Expected Outcome:** `ok`',
  '- **cwd:** (Optional) src',
  '- **env:**',
  '    - `A`: "b"',
  '  - [a](/a)',
  '- **Timeout:** 90',
  '- **Agent:** Architect',
  '- **Handoff Resources:**',
  '- **Own:** thing',
  '      # far in',
  '      - far in',
  '      ```',
  '  indented',
  'Find:',
  'FIND:',
  '- **REPLACE:**',
  '```js',
  '```markdown',
  '``` That was it.',
  '````md',
  '~~~',
  'Sure! Here it is:',
] as const;

const START = '# Title\n\n## Rationale\n````text\nBecause.\n````\n\n## Action Plan\n';

const eol = fc.constantFrom('\n', '\n', '\n', '\r\n');
const planLine = fc.oneof(
  { arbitrary: fc.constantFrom(...PLAN_LINES), weight: 5 },
  { arbitrary: fc.constantFrom(...HOSTILE_LINES), weight: 3 },
  { arbitrary: fc.constantFrom('```', '````', '', 'text'), weight: 3 },
);

/** Lines of plans in any order: mostly no plan at all, and sometimes nearly one. */
const shuffled = fc
  .tuple(fc.constantFrom('', '', '\ufeff', '# Title\n'), fc.array(planLine, { maxLength: 40 }), eol)
  .map(([start, lines, end]) => start + lines.join(end));

/** The same behind a sound beginning. */
const begun = fc
  .array(planLine, { minLength: 1, maxLength: 25 })
  .map((lines) => `${START}${lines.join('\n')}\n`);

/** A written plan with lines taken out, doubled, exchanged or put in. */
const damaged = fc
  .tuple(
    fc.oneof(completePlan, sparsePlan),
    fc.array(fc.tuple(fc.nat(3), fc.nat(), fc.nat(), planLine), { minLength: 1, maxLength: 4 }),
  )
  .map(([plan, changes]) => {
    const lines = writePlan(plan).split('\n');
    for (const [kind, a, b, line] of changes) {
      const at = a % lines.length;
      const other = b % lines.length;
      if (kind === 0) lines.splice(at, 1);
      else if (kind === 1) lines.splice(other, 0, lines[at]!);
      else if (kind === 2) [lines[at], lines[other]] = [lines[other]!, lines[at]!];
      else lines.splice(at, 0, line);
      if (lines.length === 0) lines.push('');
    }
    return lines.join('\n');
  });

/** Text that has something of a plan. */
export const planishText = fc.oneof(shuffled, begun, damaged);
