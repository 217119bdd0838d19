import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeFolder } from '../folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the package gives what it promises by name, and no more', () => {
  const script = "import('teddy-cli').then((library) => console.log(Object.keys(library).sort().join(' ')))";
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  expect(stdout.trim().split(' ')).toEqual([
    'DEFAULTS',
    'MANUAL_ISSUES',
    'MemoryTree',
    'Overlay',
    'PLAN_ISSUES',
    'REPORT_ISSUES',
    'RESULT_EXAMPLE',
    'RESULT_ISSUES',
    'STATE_ISSUES',
    'TASK_PLAN_ISSUES',
    'Workspace',
    'applyEdit',
    'calibrate',
    'captureResult',
    'checkPlan',
    'compareClaims',
    'findAgent',
    'findEdit',
    'findPlanner',
    'getDailyMetrics',
    'getPhaseMetrics',
    'getPlanMetrics',
    'getProjectMetrics',
    'getTaskMetrics',
    'getTrend',
    'judgeReport',
    'judgeResult',
    'listAgents',
    'listPlanners',
    'listSessions',
    'mergeReports',
    'nextTasks',
    'openCapture',
    'orchestrate',
    'parseManual',
    'parsePlan',
    'parseReport',
    'parseTaskPlan',
    'planGuide',
    'previewOrchestration',
    'readClaims',
    'readClientOutput',
    'readContextMap',
    'readFrontmatter',
    'readPlan',
    'readResult',
    'readState',
    'rebuildMetrics',
    'renderAgentReport',
    'renderBriefing',
    'renderContextMap',
    'renderContract',
    'renderMerged',
    'renderMirrored',
    'renderPrompt',
    'renderResult',
    'repairPlan',
    'reportSchema',
    'resolveReferences',
    'routeReport',
    'setTaskStatus',
    'strictSchema',
    'turnHistory',
    'updateState',
    'verifyLogs',
    'writePlan',
    'writeResult',
  ]);
});

test('the library brings its types', () => {
  expect(readFileSync(`${root}/dist/types/index.d.ts`, 'utf8')).toContain('PlanIssue');
});

test('a result can be captured and counted without the command line', () => {
  const folder = makeFolder({ '03-01-PLAN.md': '- [ ] Task 1: Begin\n' });
  const script = `
    const { captureResult, DEFAULTS, getPlanMetrics, openCapture, RESULT_EXAMPLE, Workspace } = await import('teddy-cli');
    const project = openCapture(new Workspace(${JSON.stringify(folder)}), DEFAULTS);
    const text = RESULT_EXAMPLE.replace(/task_name: .*/, 'task_name: "Task 1: Begin"');
    const { status } = await captureResult(project, { submission: { text, plan: '03-01-PLAN.md' }, now: new Date(), mask: (each) => each });
    console.log(status, getPlanMetrics(project, '03-01').succeeded);`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: folder },
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  expect(run.stdout).toBe('applied 1\n');
});
