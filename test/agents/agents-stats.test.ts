import { realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentStats } from '../../src/agents/agent-stats.js';
import { type AnswerRecord, findRecords, keepAnswer, keepDecision } from '../../src/agents/records.js';
import { loadProject } from '../../src/config/project.js';
import { sha256 } from '../../src/node/ids.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const at = (minute: number) => `2026-01-02T03:0${minute}:00Z`;

async function open() {
  const root = realpathSync(makeFolder());
  const workspace = new Workspace(root);
  const project = await loadProject(root);
  if (project.status === 'refused') throw new Error('no config');
  const answer = (taskId: string, minute: number, parts: Partial<AnswerRecord> = {}) =>
    keepAnswer(
      workspace,
      {
        task_id: taskId,
        agent: 'investigator',
        at: at(minute),
        sha256: sha256(`${taskId} ${minute}`),
        compliant: true,
        route: 'accept',
        confidence: 0.5,
        issues: [],
        ...parts,
      },
      '',
    );
  const decide = (taskId: string, minute: number, decision: 'accept' | 'reject') => {
    const answer = findRecords(workspace, taskId)?.answers.at(-1)?.sha256 ?? '';
    return keepDecision(workspace, taskId, { at: at(minute), decision, reason: null, answer });
  };
  return { answer, decide, stats: () => agentStats(workspace, project.config) };
}

test('a decision is about the answers that were there, not about those that came later', async () => {
  const { answer, decide, stats } = await open();
  await answer('t', 1, { confidence: 0.9 });
  await decide('t', 2, 'reject');
  await answer('t', 3, { confidence: 0.6 });
  expect(stats().total).toMatchObject({ reports: 2, decided: 1, stated: 0.9, held: 0 });
});

test('a decision of the same second as the answer is about it', async () => {
  const { answer, decide, stats } = await open();
  await answer('t', 1);
  await decide('t', 1, 'accept');
  expect(stats().total).toMatchObject({ decided: 1, held: 1 });
});

test('a decision about an answer that is no report decides nothing', async () => {
  const { answer, decide, stats } = await open();
  await answer('t', 1, { compliant: false, confidence: null, route: 'failed' });
  await decide('t', 2, 'reject');
  expect(stats().total).toMatchObject({ reports: 1, compliant: 0, decided: 0 });
});

test('agents are one in any case, and tasks of one agent add up', async () => {
  const { answer, decide, stats } = await open();
  await answer('t', 1, { agent: 'Investigator' });
  await answer('u', 1);
  await answer('v', 1, { agent: 'reviewer' });
  await decide('t', 2, 'accept');
  await decide('v', 2, 'reject');
  const { agents } = stats();
  const rows = agents.map(({ agent, reports, held }) => [agent.toLowerCase(), reports, held]);
  expect(rows).toEqual([
    ['investigator', 2, 1],
    ['reviewer', 1, 0],
  ]);
});

test('an id like that of a task of a plan that is not there is an id like any other', async () => {
  const { answer, stats } = await open();
  await answer('01-01:1', 1);
  await answer('99:999999', 1);
  expect(stats().total).toMatchObject({ reports: 2, decided: 0 });
});
