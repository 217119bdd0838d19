// The process ends before every file call of a capture, and before every call of the recovery that follows; and every
// call fails once. What is found then is the project as it was, or the project with the whole of the result.
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config-file.js';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { captureResult } from '../../src/tasks/capture-results.js';
import { openCapture } from '../../src/tasks/project.js';
import type { Workspace } from '../../src/workspace/workspace.js';
import {
  attempt,
  dieBefore,
  FAULTS,
  fail,
  MemoryMachine,
  nothing,
  recovering,
} from '../workspace/faults/machine.js';
import { SOAK } from '../workspace/faults/random.js';
import type { Entries } from '../workspace/faults/scenario.js';
import { Tally } from '../workspace/faults/tally.js';

const PLAN = '.planning/03-01-PLAN.md';
const LOGS = '.ultraplan/logs';
const DAY = '2026-01-26';

const PLAN_TEXT = `<tasks>
<task type="auto">
  <name>Task 1: Create the agent</name>
  <verify>npm test</verify>
</task>
<task type="auto">
  <name>Task 2: Add the protocol</name>
</task>
</tasks>

<success_criteria>
- [ ] Task 1: Create the agent
- [ ] Task 2: Add the protocol
</success_criteria>
`;

const resultOf = (index: number, name: string) => `status: success
task_name: "Task ${index}: ${name}"
files_modified: []
verification: {command: "npm test", exit_code: 0, output_summary: ok}
done_criteria_met: true
evidence: done
error: null
metadata: {duration_ms: 1000, attempt: 1, executor_id: x}
`;

const FIRST = { text: resultOf(1, 'Create the agent'), id: 'first' };
const SECOND = { text: resultOf(2, 'Add the protocol'), id: 'second' };

const submit = ({ text, id }: { text: string; id: string }) => {
  return (workspace: Workspace) =>
    captureResult(openCapture(workspace, DEFAULTS), {
      // A session of a given name, so that two runs leave the same bytes.
      submission: { text, id, plan: PLAN, session: 'sess-1' },
      now: new Date(`${DAY}T10:00:00Z`),
      mask: (each) => each,
    });
};

const file = (text: string) => ({ kind: 'file' as const, bytes: Buffer.from(text), mode: 0o644 });
const folder = { kind: 'folder' as const, mode: 0o755 };

const ENTRIES: Entries = {
  '.planning': folder,
  [PLAN]: file(PLAN_TEXT),
  'STATE.md': file('# State\n\nLast activity: none\n\nA sentence of a person.\n'),
};

/** The project with the first result, and both ways that the second can end. */
async function stages() {
  const before = MemoryMachine.of(ENTRIES);
  await attempt(before, nothing, submit(FIRST));
  const after = before.fork();
  const whole = await attempt(after, nothing, submit(SECOND));
  if (whole.how !== 'returned') throw new Error(`it ${whole.how}`);
  expect(whole.value.status).toBe('applied');
  return { before, sides: { before: before.snapshot(), after: after.snapshot() }, calls: whole.calls };
}

test('a capture leaves everything that it should, so that the sides differ', async () => {
  const { before, sides } = await stages();
  expect(Object.keys(sides.before)).toContain(`${LOGS}/executions/${DAY}/03-01-task-01-success.yaml`);
  const changed = Object.keys(sides.after).filter((path) => sides.after[path] !== sides.before[path]);
  expect(changed).toEqual([
    PLAN,
    `${LOGS}/current-session.json`,
    `${LOGS}/executions/${DAY}/03-01-task-02-success.yaml`,
    `${LOGS}/ledger.jsonl`,
    `${LOGS}/summary/daily-${DAY}.json`,
    `${LOGS}/summary/plan-03-01.json`,
    `${LOGS}/summary/project.json`,
    'STATE.md',
  ]);
  const statuses = parseTaskPlan(before.read(PLAN)!.toString()).tasks.map(({ status }) => status);
  expect(statuses).toEqual(['completed', 'pending']);
});

test('killed before any call, and the recovery killed too', async () => {
  const { before, sides, calls } = await stages();
  const tally = new Tally();
  const step = SOAK ? 1 : 41;
  let ended = { before: 0, after: 0 };
  for (let at = 0; at < calls; at++) {
    const machine = before.fork();
    const killed = await attempt(machine, dieBefore(at), submit(SECOND));
    const once = machine.fork();
    const recovered = await attempt(once, nothing, recovering);
    const side = sideOf(once, sides);
    if (side !== undefined) ended = { ...ended, [side]: ended[side] + 1 };
    tally.add(
      `call ${at}`,
      killed.how === 'died' && recovered.how === 'returned' && side ? undefined : 'it is neither',
    );
    if (SOAK || at % 6 === 0) tally.add(`call ${at}, sent again`, await sendAgain(once, sides));
    for (let second = at % step; second < recovered.calls; second += step) {
      const twice = machine.fork();
      await attempt(twice, dieBefore(second), recovering);
      await attempt(twice, nothing, recovering);
      const found = sideOf(twice, sides);
      tally.add(
        `call ${at}, of the recovery ${second}`,
        found === side ? undefined : `it is ${found}, not ${side}`,
      );
    }
  }
  tally.expectClean('kill points of a capture', 500);
  expect(ended.before).toBeGreaterThan(20);
  expect(ended.after).toBeGreaterThan(20);
});

test('a call that fails leaves it as it was, or says so', async () => {
  const { before, sides, calls } = await stages();
  const tally = new Tally();
  for (const fault of SOAK ? FAULTS : (['ENOSPC', 'EIO after'] as const)) {
    for (let at = 0; at < calls; at += SOAK ? 1 : 4) {
      const machine = before.fork();
      const ended = await attempt(
        machine,
        fail(fault, (index) => index === at),
        submit(SECOND),
      );
      await attempt(machine, nothing, recovering);
      const side = sideOf(machine, sides);
      const said = ended.how === 'returned' && ended.value.status === 'applied' ? 'after' : undefined;
      const right = side !== undefined && (said === undefined || side === said);
      tally.add(
        `${fault} at call ${at}`,
        right ? undefined : `it says ${JSON.stringify(said)} and is ${side}`,
      );
    }
  }
  tally.expectClean('faults of a capture', 150);
});

type Sides = Awaited<ReturnType<typeof stages>>['sides'];

function sideOf(machine: MemoryMachine, { before, after }: Sides): 'before' | 'after' | undefined {
  const found = JSON.stringify(machine.snapshot());
  if (found === JSON.stringify(before)) return 'before';
  return found === JSON.stringify(after) ? 'after' : undefined;
}

/** Whoever was not answered sends it again: it is applied now, or was. */
async function sendAgain(machine: MemoryMachine, sides: Sides): Promise<string | undefined> {
  const was = sideOf(machine, sides);
  const ended = await attempt(machine, nothing, submit(SECOND));
  const status = ended.how === 'returned' ? ended.value.status : ended.how;
  const expected = was === 'after' ? 'duplicate' : 'applied';
  if (status !== expected) return `it is ${status}, not ${expected}`;
  return sideOf(machine, sides) === 'after' ? undefined : 'something is missing';
}
