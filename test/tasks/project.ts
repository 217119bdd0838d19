import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULTS } from '../../src/config/config-file.js';
import { parseYaml } from '../../src/core/yaml.js';
import { captureResult } from '../../src/tasks/capture-results.js';
import type { LedgerEntry, SessionRecord } from '../../src/tasks/metrics/records.js';
import { type CaptureProject, openCapture } from '../../src/tasks/project.js';
import type { CapturedResult, CaptureItem, Submission } from '../../src/tasks/types.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';

export const PLAN = '.planning/phases/03/03-01-PLAN.md';
export const LOGS = '.ultraplan/logs';
export const AT = '2026-01-26T10:30:45Z';

export const PLAN_TEXT = `---
phase: 03-execute
plan: 01
---

<tasks>
<task type="auto">
  <name>Task 1: Create the agent</name>
  <files>src/agent.ts</files>
  <verify>npm test</verify>
  <done>It is there.</done>
</task>

<task type="auto">
  <name>Task 2: Add the protocol</name>
  <files>src/protocol.ts</files>
  <verify>npm test -- protocol</verify>
</task>

<task type="checkpoint:human-verify">
  <name>Task 3: Look at it</name>
</task>
</tasks>

<success_criteria>
- [ ] Task 1: Create the agent
- [ ] Task 2: Add the protocol
- [ ] It reads well
</success_criteria>
`;

export const STATE_TEXT = `# Project State

## Current Position

Phase: 3 of 8 (Execute)
Plan: 1 of 5 in current phase
Status: Ready to execute
Last activity: 2026-01-25 - Planned

Progress: [░░░░░░░░░░] 0%

Nobody touches this sentence.

## Blockers

None yet.
`;

/** A project on disk, with what a test wants to know of it. */
export class TestProject {
  readonly root: string;
  readonly project: CaptureProject;

  constructor(files: Record<string, string> = {}) {
    this.root = makeFolder({ [PLAN]: PLAN_TEXT, 'STATE.md': STATE_TEXT, 'src/agent.ts': '', ...files });
    this.project = openCapture(new Workspace(this.root), DEFAULTS);
  }

  submit(
    text: string,
    {
      at = AT,
      mask = (each) => each,
      removal,
      ...more
    }: Partial<Submission & { at: string } & CaptureItem> = {},
  ): Promise<CapturedResult> {
    return captureResult(this.project, {
      submission: { plan: PLAN, text, ...more },
      now: new Date(at),
      mask,
    });
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  json<T>(path: string): T {
    return JSON.parse(this.read(path)) as T;
  }

  yaml(path: string): Record<string, unknown> {
    const read = parseYaml(this.read(path));
    if (read.status !== 'value') throw new Error(`${path} ${read.reason}`);
    return read.value as Record<string, unknown>;
  }

  get session(): SessionRecord {
    return this.json(`${LOGS}/current-session.json`);
  }

  get ledger(): LedgerEntry[] {
    return this.read(`${LOGS}/ledger.jsonl`)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LedgerEntry);
  }

  /** The paths of all that capture keeps, from its folder. */
  get logs(): string[] {
    const folder = join(this.root, LOGS);
    return existsSync(folder) ? Object.keys(readTree(folder)).sort() : [];
  }
}

/** A result that is VALID, with what a test wants to be otherwise; each value is YAML. */
export function resultText(changes: Record<string, string> = {}): string {
  const fields: Record<string, string> = {
    status: 'success',
    task_name: '"Task 1: Create the agent"',
    files_modified: '[src/agent.ts]',
    verification: '{command: npm test, exit_code: 0, output_summary: "3 passed"}',
    done_criteria_met: 'true',
    evidence: '"It is there."',
    error: 'null',
    metadata: '{duration_ms: 32000, attempt: 1, executor_id: exec-1}',
    ...changes,
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

export const failure = (changes: Record<string, string> = {}) =>
  resultText({
    status: 'failure',
    verification: '{command: npm test, exit_code: 1, output_summary: "1 failed"}',
    done_criteria_met: 'false',
    error: '"One test fails."',
    ...changes,
  });

export const blocked = (changes: Record<string, string> = {}) =>
  resultText({
    status: 'blocked',
    files_modified: '[]',
    verification: '{command: null, exit_code: null, output_summary: null}',
    done_criteria_met: 'false',
    error: '"The database is missing."',
    ...changes,
  });
