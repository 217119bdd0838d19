import { describe, expect, test } from 'vitest';
import { BUILT_IN } from '../../../../src/agents/built-in.js';
import { judgeValue } from '../../../../src/core/agent-report/judge.js';
import { parseManual } from '../../../../src/core/agent-report/manual/parse.js';
import { VERBOSITIES } from '../../../../src/core/agent-report/types.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

const OPTIONS = { asked: { agent: null, taskId: null, verbosity: null }, lenient: false };

describe.each([...BUILT_IN])('%s', (name, text) => {
  const { manual, issues } = parseManual(name, text);

  test('has all that a manual can have, and no issue', () => {
    expect(issues).toEqual([]);
    expect(manual!.purpose).toMatch(/^[A-Z].+\.$/);
    expect(manual!.whenToUse).toMatch(/Not (for|to) /);
    expect(manual!.briefing[0]).toMatchObject({ name: 'goal', required: true });
    expect(manual!.briefing.filter(({ about }) => about === '')).toEqual([]);
    expect(manual!.levels.map(({ level }) => level)).toEqual(VERBOSITIES);
    expect(new Set(manual!.levels.map(({ holds }) => holds)).size).toBe(3);
    expect(manual!.instructions).toContain('## How you work');
    expect(manual!.instructions).not.toContain('```');
  });

  test('read as proven it is the same', () => {
    expect(parseManual(name, text, { proven: true })).toEqual({ manual, issues });
  });

  test('its example keeps it, without a warning, and shows every field at the highest level', () => {
    const { example } = manual!;
    const judgement = judgeValue(example as unknown as JsonValue, { ...OPTIONS, manualOf: () => manual });
    expect(judgement).toMatchObject({ compliant: true, issues: [] });
    expect(example!.report_metadata).toMatchObject({ agent_name: name, verbosity_level: 'comprehensive' });
    expect(Object.keys(example!.findings)).toEqual(Object.keys(manual!.findings.properties as object));
  });
});

describe('what their findings are', () => {
  const codes = (name: string, findings: object, level = 'detailed') => {
    const { manual } = parseManual(name, BUILT_IN.get(name)!);
    const report = {
      report_metadata: {
        agent_name: name,
        task_id: 't',
        status: 'completed',
        verbosity_level: level,
        confidence_level: 1,
      },
      findings,
    };
    const { issues } = judgeValue(report as unknown as JsonValue, { ...OPTIONS, manualOf: () => manual });
    return issues.map(({ code, path }) => `${code} ${path}`);
  };

  test('investigator: a context map alone is enough, in every form', () => {
    expect(codes('investigator', { context_map: [['a', null]] })).toEqual([]);
    expect(codes('investigator', { context_map: [{ text: 'a', uri: 'repo://a:1-2' }] }, 'summary')).toEqual(
      [],
    );
    expect(codes('investigator', { context_map: [{ text: 'a', file: 'a', line: 1 }] }, 'summary')).toEqual([
      'context-map-form $.findings.context_map',
    ]);
    expect(codes('investigator', {})).toEqual(['findings-missing $.findings.context_map']);
    expect(codes('investigator', { context_map: [], excerpts: [] })).toEqual([
      'findings-level $.findings.excerpts',
    ]);
    const answers = [{ question: 'a?', answer: 'b', evidence: ['repo://a'] }];
    expect(codes('investigator', { context_map: [], answers })).toEqual([]);
    expect(codes('investigator', { context_map: [], answers }, 'summary')).toEqual([
      'findings-level $.findings.answers[0].evidence',
    ]);
  });

  const done = { summary: 'x', changed_files: [], new_dependencies: [] };

  test('implementer: a summary is short, and proof is asked for above it', () => {
    expect(codes('implementer', done, 'summary')).toEqual([]);
    expect(codes('implementer', done)).toEqual(['findings-missing $.findings.verification']);
    expect(
      codes('implementer', { ...done, verification: [{ command: 'a', exit_code: 0, output: '' }] }),
    ).toEqual(['findings-level $.findings.verification[0].output']);
  });

  test('implementer: files are created, modified or deleted', () => {
    const changed = (change: string) => ({ ...done, changed_files: [{ path: 'a', change }] });
    for (const change of ['created', 'modified', 'deleted'])
      expect(codes('implementer', changed(change), 'summary')).toEqual([]);
    expect(codes('implementer', changed('renamed'), 'summary')).toEqual([
      'findings-value $.findings.changed_files[0].change',
    ]);
  });

  const issue = { file: 'a', lines: { from: 1, to: 2 }, severity: 'minor', problem: 'x' };

  test('reviewer: a summary is the verdict and the issues without their fixes', () => {
    const verdict = 'changes_required';
    const fixed = { ...issue, suggested_fix: 'y' };
    expect(codes('reviewer', { verdict, issues: [issue] }, 'summary')).toEqual([]);
    expect(codes('reviewer', { verdict, issues: [fixed] }, 'summary')).toEqual([
      'findings-level $.findings.issues[0].suggested_fix',
    ]);
    expect(codes('reviewer', { verdict, checklist: [], issues: [fixed] })).toEqual([]);
    expect(codes('reviewer', { verdict, checklist: [], issues: [issue] })).toEqual([
      'findings-missing $.findings.issues[0].suggested_fix',
    ]);
    expect(codes('reviewer', { verdict: 'rejected', issues: [] }, 'summary')).toEqual([
      'findings-value $.findings.verdict',
    ]);
    expect(
      codes('reviewer', { verdict, checklist: [{ criterion: 'a', result: 'met' }], issues: [] }),
    ).toEqual([]);
  });
});
