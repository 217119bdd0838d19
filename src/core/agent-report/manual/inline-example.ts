import type { JsonObject } from '../../json/types.js';
import { judgeValue } from '../judge.js';
import { isAbove } from '../levels.js';
import { reduceReport } from '../reduce.js';
import type { AgentReport, Assignment, Manual } from '../types.js';
import { sampleReport } from './sample.js';

/**
 * A report of the task and level that is asked for and that keeps the manual: its own example, reduced or renamed where
 * it is of another level, else one from the schema. Null where none of them keeps it.
 */
export function inlineExample(manual: Manual, { taskId, verbosity }: Assignment): AgentReport | null {
  const asked = { agent: manual.name, taskId, verbosity };
  for (const make of [ownExample, sampleReport]) {
    const example = make(manual, verbosity);
    if (!example) continue;
    const metadata = { ...example.report_metadata, agent_name: manual.name, task_id: taskId };
    const report = { ...example, report_metadata: metadata } as unknown as JsonObject;
    const judgement = judgeValue(report, { manualOf: () => manual, asked, lenient: false });
    if (judgement.compliant) return judgement.report;
  }
  return null;
}

function ownExample(manual: Manual, level: Assignment['verbosity']): AgentReport | null {
  const { example } = manual;
  if (!example) return null;
  const written = example.report_metadata.verbosity_level;
  if (isAbove(written, level)) {
    const reduced = reduceReport(example, manual, level);
    return reduced.status === 'reduced' ? reduced.report : null;
  }
  return { ...example, report_metadata: { ...example.report_metadata, verbosity_level: level } };
}
