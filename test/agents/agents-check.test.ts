import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type BriefOptions, briefAgent } from '../../src/agents/brief-agent.js';
import { checkReport } from '../../src/agents/check-report.js';
import type { CheckReportOptions } from '../../src/agents/types.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';
import { trustAgentsOf } from './trusted-agents.js';

const NOW = new Date('2026-01-02T03:04:05Z');

function reportOf(metadata: object = {}, others: object = {}): string {
  return JSON.stringify({
    report_metadata: {
      agent_name: 'investigator',
      task_id: 't',
      status: 'completed',
      verbosity_level: 'detailed',
      confidence_level: 0.9,
      ...metadata,
    },
    findings: { context_map: [['All.', null]] },
    ...others,
  });
}

function open(files: Record<string, string> = {}) {
  const root = realpathSync(makeFolder(files));
  const workspace = new Workspace(root);
  const check = (text: string, options: Partial<CheckReportOptions> = {}) =>
    checkReport({
      workspace,
      threshold: 0.7,
      text,
      client: 'text',
      lenient: false,
      asked: { agent: null, taskId: null, verbosity: null },
      base: null,
      environment: {},
      now: NOW,
      held: null,
      again: false,
      ownFiles: [],
      ...options,
    });
  const brief = (parts: Partial<BriefOptions> = {}) =>
    briefAgent({
      workspace,
      agent: 'investigator',
      taskId: 't',
      goal: 'g',
      verbosity: 'detailed',
      scope: [],
      fields: {},
      contextMap: null,
      environment: {},
      now: NOW,
      onText: () => {},
      ...parts,
    });
  return { root, workspace, check, brief };
}

describe('where a report goes', () => {
  test.each([
    ['accept', reportOf()],
    ['human-review', reportOf({ confidence_level: 0.69 })],
    ['accept', reportOf({ confidence_level: 0.7 })],
    ['blocked', reportOf({ status: 'blocked', confidence_level: 0.1 }, { blockers: ['A key.'] })],
    ['failed', reportOf({ status: 'failed', error_message: 'No.' })],
    ['failed', reportOf({ status: 'blocked' })],
    ['failed', 'no JSON'],
    ['failed', ''],
  ])('%s', async (route, text) => {
    const { check } = open();
    expect((await check(text)).route).toBe(route);
  });

  test('the threshold is the one that is given', async () => {
    const { check } = open();
    expect((await check(reportOf(), { threshold: 0.91 })).route).toBe('human-review');
    expect((await check(reportOf({ confidence_level: 0 }), { threshold: 0 })).route).toBe('accept');
  });
});

describe('what a client printed', () => {
  const print = (text: string) =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, duration_ms: 1500 });

  test('is judged by the answer in it, and measured', async () => {
    const { check } = open();
    const checked = await check(print(reportOf({ execution_time_seconds: 60 })), { client: 'claude' });
    expect(checked).toMatchObject({
      compliant: true,
      measured: { durationMs: 1500 },
      claimed: { seconds: 60 },
    });
  });

  test('without an answer has one issue and not another for the emptiness behind it', async () => {
    const { check } = open();
    const { issues, value } = await check(print(''), { client: 'claude' });
    expect(issues.map(({ code }) => code)).toEqual(['report-empty']);
    expect(value).toBeNull();
  });

  test('with an answer, but failed, is no report', async () => {
    const { check } = open();
    const output = print(reportOf()).replace('"is_error":false', '"is_error":true');
    const checked = await check(output, { client: 'claude' });
    expect(checked).toMatchObject({ compliant: false, route: 'failed', report: null });
    expect(checked.issues.map(({ code }) => code)).toEqual(['client-error']);
  });

  test('with words around the answer is taken only where that is allowed', async () => {
    const { check } = open();
    const output = print(`Here it is: ${reportOf()}`);
    expect(await check(output, { client: 'claude' })).toMatchObject({ compliant: false });
    expect(await check(output, { client: 'claude', lenient: true })).toMatchObject({ compliant: true });
  });
});

describe('a briefing', () => {
  test('makes its answer be kept, and nothing else does', async () => {
    const { check, brief, root } = open();
    expect(await check(reportOf())).toMatchObject({ kept: null });
    await brief();
    const { kept } = await check(reportOf());
    expect(kept).toMatch(/answer-1\.json$/);
    expect(JSON.parse(readTree(root)[kept!]!)).toMatchObject({
      task_id: 't',
      agent: 'investigator',
      at: '2026-01-02T03:04:05Z',
      confidence: 0.9,
    });
  });

  test('names the agent of an answer that does not say whose it is', async () => {
    const { check, brief, root } = open();
    await brief();
    const { kept } = await check('I am done.', { asked: { agent: null, taskId: 't', verbosity: null } });
    expect(JSON.parse(readTree(root)[kept!]!)).toMatchObject({
      agent: 'investigator',
      compliant: false,
      route: 'failed',
      confidence: null,
      issues: [{ code: 'json-invalid' }],
    });
  });

  test('is refused in a sentence where something is wrong with it', async () => {
    const { brief } = open();
    for (const [parts, said] of [
      [{ agent: 'nobody' }, /^There is no agent "nobody"/],
      [{ taskId: ' ' }, /^--task-id is empty/],
      [{ goal: '\n' }, /^--goal is empty/],
      [
        { fields: { whom: 'me' } },
        /^--field whom: .* has no such field\. Its fields: questions, known, start_at\.$/,
      ],
      [{ scope: ['/etc/**', ''] }, /^--scope "" /],
      [{ contextMap: { name: 'map', text: '{}x' } }, /^map:1:3: /],
    ] as const)
      await expect(brief(parts)).rejects.toThrow(said);
  });
});

test('an answer that is not kept is judged all the same', async () => {
  const { workspace, check, root } = open({ 'a.ts': 'a\n' });
  const held = workspace.incoming.keep(new TextEncoder().encode(reportOf()));
  held.discard();
  // Somebody was quicker: there is nothing left to take away.
  const checked = await check(reportOf(), { held });
  held.release();
  expect(checked).toMatchObject({ compliant: true, notes: [] });
  expect(Object.keys(readTree(root))).toContain(checked.kept);
});

test('a broken manual judges nothing', async () => {
  const { check, workspace } = open({ '.teddy/agents/investigator.md': '---\nkind: subagent\n---\n' });
  await expect(check(reportOf())).rejects.toThrow('is not trusted in its current form');
  trustAgentsOf(workspace);
  await expect(check(reportOf())).rejects.toThrow('cannot be used: The manual has no fenced JSON block');
  // What is no report needs no manual.
  expect(await check('no JSON')).toMatchObject({ compliant: false });
});
