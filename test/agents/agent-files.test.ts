import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findAgent, listAgents } from '../../src/agents/agent-files.js';
import { BUILT_IN } from '../../src/agents/built-in.js';
import type { Agent } from '../../src/agents/types.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { projectWithAgents } from './trusted-agents.js';

const BUILT_IN_NAMES = ['implementer', 'investigator', 'reviewer'];
const PLANNERS = ['architect', 'assistant', 'debugger', 'developer', 'pathfinder'];
const manual = (about: string) =>
  `---\nkind: subagent\npurpose: ${about}\nwhen_to_use: Always.\n---\n\`\`\`json\n{"type": "object"}\n\`\`\`\n`;

const summary = (agents: readonly Agent[]) => agents.map(({ kind, name, path }) => [kind, name, path]);
const withoutPlanners = (agents: readonly Agent[]) =>
  agents.filter(({ kind, path }) => kind !== 'planner' || path !== null);
const reasonOf = (workspace: Workspace, name: string) => {
  const found = findAgent(workspace, name);
  if (found.status !== 'refused') throw new Error(`${name} is ${found.status}`);
  const listed = listAgents(workspace).filter((agent) => agent.name.toLowerCase() === name.toLowerCase());
  for (const agent of listed) expect(agent).toMatchObject({ kind: 'broken', reason: found.reason });
  return found.reason;
};

describe('where agents come from', () => {
  test('with no folder of its own a project has those that come with the program', () => {
    const workspace = new Workspace(makeFolder());
    expect(summary(listAgents(workspace))).toEqual(
      [...BUILT_IN_NAMES, ...PLANNERS]
        .sort()
        .map((name) => [PLANNERS.includes(name) ? 'planner' : 'subagent', name, null]),
    );
    expect([...BUILT_IN.keys()]).toEqual(BUILT_IN_NAMES);
    expect(findAgent(workspace, 'Reviewer')).toMatchObject({
      status: 'found',
      path: null,
      manual: { name: 'reviewer' },
      issues: [],
    });
  });

  test("the project's own stand before them, in any case", () => {
    const workspace = projectWithAgents({ 'Reviewer.md': manual('Ours.'), 'auditor.md': manual('New.') });
    expect(summary(withoutPlanners(listAgents(workspace)))).toEqual([
      ['subagent', 'auditor', '.teddy/agents/auditor.md'],
      ['subagent', 'implementer', null],
      ['subagent', 'investigator', null],
      ['subagent', 'Reviewer', '.teddy/agents/Reviewer.md'],
    ]);
    for (const name of ['reviewer', 'REVIEWER', 'Reviewer'])
      expect(findAgent(workspace, name)).toMatchObject({
        status: 'found',
        path: '.teddy/agents/Reviewer.md',
        manual: { name: 'Reviewer', purpose: 'Ours.' },
      });
  });

  test('a planner takes no manual away that has its name', () => {
    const workspace = projectWithAgents({
      'Reviewer.md': '---\nkind: planner\npurpose: Plans.\n---\nYou plan.\n',
    });
    expect(findAgent(workspace, 'reviewer')).toMatchObject({ status: 'found', path: null });
    expect(summary(withoutPlanners(listAgents(workspace))).map(([kind, name]) => [kind, name])).toEqual([
      ['subagent', 'implementer'],
      ['subagent', 'investigator'],
      ['planner', 'Reviewer'],
      ['subagent', 'reviewer'],
    ]);
  });

  test('a planner is listed as one, and is no manual', () => {
    const workspace = projectWithAgents({
      'architect.md': '---\nkind: planner\npurpose: Plans.\n---\nYou plan.\n',
    });
    expect(listAgents(workspace)[0]).toEqual({
      kind: 'planner',
      name: 'architect',
      path: '.teddy/agents/architect.md',
      purpose: 'Plans.',
      prompt: 'You plan.',
    });
    expect(findAgent(workspace, 'architect')).toEqual({
      status: 'refused',
      kind: 'planner',
      path: '.teddy/agents/architect.md',
      reason:
        '.teddy/agents/architect.md is the system prompt of a planner (kind: planner), not the manual of a subagent.',
      issues: [],
    });
  });

  test('what is no Markdown file, or hidden, is no agent', () => {
    const workspace = projectWithAgents({
      'notes.txt': 'x',
      '.draft.md': 'x',
      'old/auditor.md': manual('x'),
    });
    expect(summary(withoutPlanners(listAgents(workspace))).map(([, name]) => name)).toEqual(BUILT_IN_NAMES);
  });

  test('an unknown name is told which there are', () => {
    const workspace = projectWithAgents({ 'auditor.md': 'broken', 'two words.md': 'x' });
    expect(findAgent(workspace, '../auditor')).toEqual({
      status: 'unknown',
      reason: 'There is no agent "../auditor". Available: auditor, implementer, investigator, reviewer.',
    });
  });
});

describe('files that cannot be used', () => {
  test('a broken manual is listed with its issues, and not replaced by the one that comes with the program', () => {
    const workspace = projectWithAgents({ 'reviewer.md': '---\nkind: subagent\n---\nNo schema.\n' });
    expect(reasonOf(workspace, 'reviewer')).toBe(
      '.teddy/agents/reviewer.md cannot be used: The manual has no fenced JSON block with the schema of the findings.',
    );
    expect(findAgent(workspace, 'reviewer')).toMatchObject({
      kind: 'broken',
      issues: [{ code: 'manual-purpose-missing' }, { code: 'manual-schema-missing' }],
    });
  });

  test('the first of several errors is told with its line', () => {
    const text = manual('x').replace('when_to_use: Always.', 'summary_budget: 1\nverbosity: []');
    expect(reasonOf(projectWithAgents({ 'a.md': text }), 'a')).toMatch(
      /^\.teddy\/agents\/a\.md:4 cannot be used: `summary_budget` is 1; .+ \(and 1 more\)$/,
    );
  });

  test('two files that differ only in case', () => {
    const workspace = projectWithAgents({ 'Auditor.md': manual('x'), 'auditor.md': manual('y') });
    const reason =
      '"Auditor.md" and "auditor.md" in .teddy/agents have the same name, because case does not count; rename or remove one of them.';
    expect(reasonOf(workspace, 'auditor')).toBe(reason);
    expect(listAgents(workspace).filter(({ kind }) => kind === 'broken')).toHaveLength(2);
  });

  test.each(['two words', 'a\nb', 'a\u202eb', '-a', 'a..b!', '$(id)', 'a'.repeat(101)])(
    'the name %j',
    (name) => {
      const reason = reasonOf(projectWithAgents({ [`${name}.md`]: manual('x') }), name);
      expect(reason).toContain('is not a valid agent name: use at most 100 letters, digits,');
      expect(reason).not.toContain('\n');
    },
  );

  test.each([
    ['is larger than 1048576 bytes', 'x'.repeat(1024 * 1024 + 1)],
    ['is binary, not text (it holds NUL bytes)', new Uint8Array([0, 1, 2])],
    ['is not UTF-8 text', new Uint8Array([0xc3, 0x28])],
    ['is UTF-16, not UTF-8 text', new Uint8Array([0xff, 0xfe, 0x41])],
  ])('a file that %s', (reason, content) => {
    expect(reasonOf(projectWithAgents({ 'a.md': content }), 'a')).toBe(`.teddy/agents/a.md ${reason}.`);
  });

  test('a folder, and links of any kind', () => {
    const outside = makeFolder({ 'secret.md': manual('Not ours.') });
    const workspace = projectWithAgents({ 'ok.md': manual('x') });
    const at = (name: string) => join(workspace.root, '.teddy/agents', name);
    mkdirSync(at('folder.md'));
    symlinkSync(join(outside, 'secret.md'), at('leak.md'));
    symlinkSync('ok.md', at('linked.md'));
    symlinkSync('nowhere.md', at('dangling.md'));
    expect(reasonOf(workspace, 'folder')).toBe('.teddy/agents/folder.md is a folder.');
    expect(reasonOf(workspace, 'leak')).toBe(
      '.teddy/agents/leak.md leads out of the root through a symlink.',
    );
    expect(reasonOf(workspace, 'linked')).toMatch(
      /^\.teddy\/agents\/linked\.md leads through a link to .+\.$/,
    );
    expect(reasonOf(workspace, 'dangling')).toMatch(
      /^\.teddy\/agents\/dangling\.md leads through a link to .+\.$/,
    );
    expect(findAgent(workspace, 'ok').status).toBe('found');
  });

  test('a file that the machine does not let us read', () => {
    const workspace = projectWithAgents({ 'a.md': manual('x'), 'b.md': manual('y') });
    onTestFinished(() => setFileSeam(undefined));
    setFileSeam((call, perform) => {
      if (call.name === 'open' && String(call.args[0]).endsWith('/a.md'))
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return perform(call.args);
    });
    expect(reasonOf(workspace, 'a')).toBe('.teddy/agents/a.md cannot be read (EACCES).');
    expect(findAgent(workspace, 'b').status).toBe('found');
  });

  test('a folder of agents that is a link, or a file, does not look empty', () => {
    const sentence = '.teddy/agents must be a folder; it is a link or a file.';
    const root = makeFolder({ '.teddy/config.yaml': '' });
    symlinkSync(makeFolder({ 'auditor.md': manual('x') }), join(root, '.teddy/agents'));
    expect(() => listAgents(new Workspace(root))).toThrow(sentence);
    expect(() => findAgent(new Workspace(root), 'reviewer')).toThrow(sentence);
    expect(() => listAgents(new Workspace(makeFolder({ '.teddy/agents': 'x' })))).toThrow(sentence);
  });

  test('more files than anybody has agents', () => {
    const files = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`a${n}.md`, '']));
    expect(() => listAgents(projectWithAgents(files))).toThrow(
      '.teddy/agents has 501 agents; the limit is 500.',
    );
  });
});
