import * as fs from 'node:fs';
import { join } from 'node:path';

export const PLANS = 500;
export const TASKS = 20;
const PLANS_OF_PHASE = 20;
const PLANS_OF_WAVE = 5;

/** Writes plans as people write them: phases, waves, dependencies, files. Gives their paths from the root. */
export function makePlans(root: string): string[] {
  fs.mkdirSync(join(root, '.teddy'));
  return Array.from({ length: PLANS }, (_, i) => {
    const phase = Math.floor(i / PLANS_OF_PHASE) + 1;
    const plan = (i % PLANS_OF_PHASE) + 1;
    const folder = `.planning/phases/${two(phase)}-part`;
    const path = `${folder}/${two(phase)}-${two(plan)}-PLAN.md`;
    fs.mkdirSync(join(root, folder), { recursive: true });
    fs.writeFileSync(join(root, path), planText(phase, plan));
    return path;
  });
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function planText(phase: number, plan: number): string {
  const wave = Math.ceil(plan / PLANS_OF_WAVE);
  const before = plan > PLANS_OF_WAVE ? [`${two(phase)}-${two(plan - PLANS_OF_WAVE)}`] : [];
  const indexes = Array.from({ length: TASKS }, (_, i) => i + 1);
  const folder = `src/part-${two(phase)}/step-${two(plan)}`;
  return `---
phase: ${two(phase)}-part
plan: ${two(plan)}
type: execute
wave: ${wave}
depends_on: [${before.map((id) => `"${id}"`).join(', ')}]
files_modified:
${indexes.map((index) => `  - ${folder}/module-${index}.ts`).join('\n')}
autonomous: true
requirements: [REQ-${phase}, REQ-${plan}]

must_haves:
  truths:
    - "A person can do step ${plan} of part ${phase}"
    - "What was done is still there after a restart"
  artifacts:
    - path: ${folder}/module-1.ts
      provides: The entry of the step
      min_lines: 30
  key_links:
    - from: ${folder}/module-1.ts
      to: ${folder}/module-2.ts
      via: import
---

<objective>
Make step ${plan} of part ${phase} work from one end to the other.

Purpose: nothing behind it can begin before.
Output: modules and their tests.
</objective>

<context>
@.planning/PROJECT.md
@.planning/ROADMAP.md
@.planning/STATE.md
</context>

<tasks>

${indexes.map((index) => taskText(folder, index)).join('\n')}
</tasks>

<verification>
All tests of ${folder} pass.
</verification>

<success_criteria>
${indexes.map((index) => `- [ ] Task ${index}: Write module ${index}`).join('\n')}
</success_criteria>

<output>
A summary of what was done lies beside this plan.
</output>
`;
}

function taskText(folder: string, index: number): string {
  return `<task type="auto">
  <name>Task ${index}: Write module ${index}</name>
  <files>${folder}/module-${index}.ts, ${folder}/module-${index}.test.ts</files>
  <action>
    Write \`module-${index}.ts\` with one function that reads what the module before it leaves, and refuses
    what it cannot read with a sentence that says why (if a < b, say so). Do not load anything at import
    time: whoever only asks for the version should not pay for it.

    Cover the empty input, one entry, and many, and the case where two entries have the same name.
  </action>
  <verify>npm test -- ${folder}/module-${index}.test.ts</verify>
  <done>The tests pass, and the module is reached from the entry of the step.</done>
</task>
`;
}
