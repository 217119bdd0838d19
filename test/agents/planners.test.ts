import { describe, expect, onTestFinished, test } from 'vitest';
import { findAgent, listAgents } from '../../src/agents/agent-files.js';
import { BUILT_IN, BUILT_IN_PLANNERS } from '../../src/agents/built-in.js';
import { DEFAULT_PLANNER, findPlanner, listPlanners, renderPrompt } from '../../src/agents/planners.js';
import type { Planner } from '../../src/agents/types.js';
import { readAgentHead } from '../../src/core/agent-report/manual/parse.js';
import { ACTIONS } from '../../src/core/plan/actions.js';
import { planGuide } from '../../src/core/plan/guide.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { projectWithAgents } from './trusted-agents.js';

const NAMES = ['architect', 'assistant', 'debugger', 'developer', 'pathfinder'];
const MANUAL =
  '---\nkind: subagent\npurpose: Reports.\nwhen_to_use: Always.\n---\n```json\n{"type": "object"}\n```\n';
const planner = (prompt: string, purpose = 'Plans.') =>
  `---\nkind: planner\npurpose: ${purpose}\n---\n${prompt}`;

function requirePlanner(workspace: Workspace, name: string): Planner {
  const found = findPlanner(workspace, name);
  if (found.status !== 'found') throw new Error(found.reason);
  return found.planner;
}

const refusal = (workspace: Workspace, name: string) => {
  const found = findPlanner(workspace, name);
  if (found.status !== 'refused') throw new Error(`${name} is ${found.status}`);
  expect(listPlanners(workspace).map((each) => each.name.toLowerCase())).not.toContain(name.toLowerCase());
  return found.reason;
};

describe('where planners come from', () => {
  test('five come with the program, and one of them is the general one', () => {
    const workspace = new Workspace(makeFolder());
    expect(listPlanners(workspace).map(({ kind, name, path }) => [kind, name, path])).toEqual(
      NAMES.map((name) => ['planner', name, null]),
    );
    expect(requirePlanner(workspace, DEFAULT_PLANNER).name).toBe('assistant');
  });

  test("the project's own stand before them, in any case", () => {
    const workspace = projectWithAgents({
      'Architect.md': planner('\n\nYou build bridges.\n\n'),
      'scribe.md': planner('  You write.'),
    });
    expect(listPlanners(workspace).map(({ name, path }) => [name, path])).toEqual([
      ['Architect', '.teddy/agents/Architect.md'],
      ...NAMES.slice(1).map((name) => [name, null]),
      ['scribe', '.teddy/agents/scribe.md'],
    ]);
    for (const name of ['architect', 'ARCHITECT', ' `Architect` '])
      expect(requirePlanner(workspace, name)).toEqual({
        kind: 'planner',
        name: 'Architect',
        path: '.teddy/agents/Architect.md',
        purpose: 'Plans.',
        prompt: 'You build bridges.',
      });
    expect(requirePlanner(workspace, 'scribe').prompt).toBe('  You write.');
  });

  test('the prompt is what stands below the frontmatter, in the line endings of ours', () => {
    const text = '\ufeff---\r\nkind: planner\r\n---\r\n\r\n# Scribe\r\n\r\n---\r\n\r\nYou write.\r\n';
    expect(requirePlanner(projectWithAgents({ 'scribe.md': text }), 'scribe')).toMatchObject({
      purpose: null,
      prompt: '# Scribe\n\n---\n\nYou write.',
    });
  });

  test('a manual takes no planner away that has its name, and is none', () => {
    const workspace = projectWithAgents({ 'Developer.md': MANUAL, 'auditor.md': MANUAL });
    expect(requirePlanner(workspace, 'developer').path).toBe(null);
    expect(findAgent(workspace, 'developer')).toMatchObject({
      status: 'found',
      path: '.teddy/agents/Developer.md',
    });
    expect(listAgents(workspace).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'planner architect',
      'planner assistant',
      'subagent auditor',
      'planner debugger',
      'subagent Developer',
      'planner developer',
      ...['subagent implementer', 'subagent investigator', 'planner pathfinder', 'subagent reviewer'],
    ]);
    expect(refusal(workspace, 'auditor')).toBe(
      '.teddy/agents/auditor.md is the manual of a subagent (kind: subagent), not the system prompt of a planner.',
    );
  });

  test('nor does a manual that is broken; a prompt that is broken takes no manual away', () => {
    const workspace = projectWithAgents({
      'developer.md': '---\nkind: subagent\n---\nNo schema.\n',
      'reviewer.md': planner(''),
    });
    expect(requirePlanner(workspace, 'developer').path).toBe(null);
    expect(findAgent(workspace, 'reviewer')).toMatchObject({ status: 'found', path: null });
    expect(
      listAgents(workspace).flatMap(({ kind, name }) =>
        ['developer', 'reviewer'].includes(name) ? [`${kind} ${name}`] : [],
      ),
    ).toEqual(['broken developer', 'planner developer', 'broken reviewer', 'subagent reviewer']);
  });

  test('a file that does not say what it is takes both away', () => {
    const workspace = projectWithAgents({ 'developer.md': 'You build.\n', 'reviewer.md': 'You judge.\n' });
    expect(refusal(workspace, 'developer')).toBe(
      '.teddy/agents/developer.md:1 cannot be used: The file has no frontmatter.',
    );
    expect(findAgent(workspace, 'reviewer').status).toBe('refused');
  });

  test('an unknown name is told which there are', () => {
    const workspace = projectWithAgents({
      'scribe.md': planner('You write.'),
      'auditor.md': MANUAL,
      'x.md': 'broken',
    });
    for (const name of ['nobody', 'reviewer', '../architect', ''])
      expect(findPlanner(workspace, name)).toEqual({
        status: 'unknown',
        reason: `There is no planner ${JSON.stringify(name)}. Available: ${NAMES.join(', ')}, scribe.`,
      });
  });
});

describe('files that cannot be used', () => {
  test.each(['', '\n \n\t\n', '\r\n\r\n'])('a planner whose body is %j', (body) => {
    const workspace = projectWithAgents({ 'architect.md': planner(body) });
    const reason = '.teddy/agents/architect.md has no prompt: write one below its frontmatter.';
    expect(refusal(workspace, 'architect')).toBe(reason);
    expect(listAgents(workspace)[0]).toMatchObject({ kind: 'broken', name: 'architect', reason });
    expect(findAgent(workspace, 'architect')).toMatchObject({ status: 'refused', kind: 'planner' });
  });

  test('two files that differ only in case', () => {
    const workspace = projectWithAgents({ 'Scribe.md': planner('A.'), 'scribe.md': planner('B.') });
    expect(refusal(workspace, 'scribe')).toMatch(/^"Scribe\.md" and "scribe\.md" .+ have the same name, /);
  });

  test.each([
    ['is larger than 1048576 bytes', planner('x'.repeat(1024 * 1024))],
    ['is binary, not text (it holds NUL bytes)', planner('a\0b')],
    ['is not UTF-8 text', new Uint8Array([...new TextEncoder().encode(planner('')), 0xc3, 0x28])],
  ])('a planner that %s', (reason, content) => {
    expect(refusal(projectWithAgents({ 'scribe.md': content }), 'scribe')).toBe(
      `.teddy/agents/scribe.md ${reason}.`,
    );
  });

  test('a file that the machine does not let us read is not passed over', () => {
    const workspace = projectWithAgents({ 'architect.md': planner('x') });
    onTestFinished(() => setFileSeam(undefined));
    setFileSeam((call, perform) => {
      if (call.name === 'open' && String(call.args[0]).endsWith('/architect.md'))
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return perform(call.args);
    });
    expect(refusal(workspace, 'architect')).toBe('.teddy/agents/architect.md cannot be read (EACCES).');
  });

  test('a folder of agents that is none', () => {
    const workspace = new Workspace(makeFolder({ '.teddy/agents': 'x' }));
    for (const look of [() => listPlanners(workspace), () => findPlanner(workspace, 'assistant')])
      expect(look).toThrow('.teddy/agents must be a folder; it is a link or a file.');
  });
});

describe('the system prompt', () => {
  const scribe: Planner = {
    kind: 'planner',
    name: 'Scribe',
    path: 'x',
    purpose: 'Writes\n  it down.',
    prompt: 'You write.',
  };
  const nameless: Planner = { ...scribe, name: 'mute', purpose: null };
  const other: Planner = { ...scribe, name: 'Herald', purpose: 'Tells others.' };

  test("has the planner's own text, then whom it can invoke, then the format", () => {
    expect(renderPrompt({ ...scribe, name: 'scribe' }, [nameless, scribe, other])).toBe(
      [
        'You write.',
        '# Agents',
        'Your name is scribe. You can INVOKE these agents by name:',
        '- Herald: Tells others.\n- mute',
        planGuide(),
      ].join('\n\n'),
    );
  });

  test('is the same whatever the order, and keeps purposes on one line', () => {
    const all = [scribe, nameless, other];
    expect(renderPrompt(nameless, all)).toBe(renderPrompt(nameless, all.toReversed()));
    expect(renderPrompt(nameless, all)).toContain('\n- Scribe: Writes it down.\n');
  });

  test('says so where there is nobody to invoke', () => {
    expect(renderPrompt(scribe, [scribe])).toContain('Your name is Scribe. There is no agent to INVOKE.\n');
  });
});

test('no planner has the name of a manual', () => {
  expect([...BUILT_IN_PLANNERS.keys()].filter((name) => BUILT_IN.has(name))).toEqual([]);
});

describe.each([...BUILT_IN_PLANNERS])('%s', (name, text) => {
  const built = requirePlannerOf(name);

  test('says what it is and what it is for, in a sentence', () => {
    expect(readAgentHead(text).kind).toBe('planner');
    expect(built.purpose).toMatch(/^[A-Z][^\n]{40,130}\.$/);
    expect(built.prompt).toMatch(new RegExp(`^# ${name}\n`, 'i'));
  });

  test('is of a length that a model keeps to', () => {
    const lines = text.trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(40);
    expect(lines).toBeLessThanOrEqual(70);
  });

  test.each(['READ', 'EDIT', 'PRUNE', 'INVOKE', 'CONCLUDE', 'CHAT_WITH_USER', 'memo', 'skip', 'report'])(
    'says what to do about: %s',
    (word) => {
      expect(built.prompt).toContain(word);
    },
  );

  test('has the headings that say how it works, what it leaves alone and what it keeps', () => {
    for (const heading of [
      'How you work',
      'What you do not do',
      'Handing over',
      'What you keep in view',
      'State Dashboard',
    ])
      expect(built.prompt).toContain(`\n## ${heading}\n`);
  });

  test('names no action and no agent that does not exist', () => {
    const known = [...Object.keys(ACTIONS), 'FIND', 'REPLACE', 'UTC'];
    const words = [...built.prompt.matchAll(/\b[A-Z][A-Z_]{2,}\b/g)].map(([word]) => word.replace(/s$/, ''));
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
    const invoked = [...built.prompt.matchAll(/INVOKE the (\w+)/g)].map((match) => match[1]!);
    expect(invoked.filter((agent) => agent === name || !BUILT_IN_PLANNERS.has(agent))).toEqual([]);
  });

  function requirePlannerOf(own: string): Planner {
    const front = text.indexOf('\n---\n');
    const { purpose } = readAgentHead(text);
    return { kind: 'planner', name: own, path: null, purpose, prompt: text.slice(front + 5).trim() };
  }
});
