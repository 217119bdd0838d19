import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { makeFolder } from '../../folder.js';
import { execTeddy, readRunFile, runIds } from './program.js';

// The example with which the two formats were agreed on. plan.md has the Active Context of which the report tells.
const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`./fixtures/format-example/${name}`, import.meta.url)), 'utf8');

const PROMPT = '<prompt>\n  <handoff_targets/>\n</prompt>\n';

const DECISIONS = `default: approve
decisions:
  - action: 5
    decision: skip
    reason: I want to fix the failing EDIT action before handing off to the next agent.
replies:
  - action: 4
    text: Yes, this initial direction looks good. Please proceed with the research.
`;

const FOUND: Record<string, { url: string; title: string; content: string }[]> = {
  'software development release manager responsibilities': [
    { url: 'https://example.com/release-manager', title: 'Release Manager Role', content: 'What they do.' },
  ],
  'gitflow vs trunk-based development final steps': [
    { url: 'https://example.com/gitflow', title: 'GitFlow vs Trunk-Based', content: 'How they differ.' },
  ],
};

test('the example plan gives the example report', async () => {
  const url = await serveSearches();
  const project = makeFolder({
    '01/plan.md': fixture('plan.md'),
    'decisions.yaml': DECISIONS,
    'prompts/pathfinder.xml': PROMPT,
    '.teddy/memos.yaml': "- The 'Architect' agent is responsible for all handoffs.\n",
    '.teddy/config.yaml': `research:\n  provider: searxng\n  url: ${url}\n`,
  });

  const words = ['execute', '01/plan.md', '--keep-going', '--trust', '--decisions', 'decisions.yaml'];
  const { exit, stdout } = await execTeddy(words, { cwd: project });

  expect(withoutWordings(stdout)).toEqual(withoutWordings(fixture('report.md')));
  expect(exit).toBe(1);
  expect(readRunFile(project, runIds(project)[0]!, 'report.md')).toBe(stdout);
  expect(parseReport(stdout)).toMatchObject({ status: 'mirrored', overall: 'Partial' });
  expect(JSON.parse(blockAfter(stdout, '**Output:**'))).toEqual(
    Object.entries(FOUND).flatMap(([query, results]) =>
      results.map(({ url, title, content }) => ({ query, url, title, snippet: content })),
    ),
  );
  expect(blockAfter(stdout, '**Error:**')).toContain('prompts/pathfinder.xml');

  const read = (path: string) => readFileSync(join(project, path), 'utf8');
  expect(read('prompts/pathfinder.xml')).toBe(PROMPT);
  expect(read('docs/briefs/01-finisher-agent-brief.md')).toMatch(/^# Brief: The "Finisher" Agent\n/);
  expect(read('.teddy/memos.yaml')).toBe("- A new 'Finisher' agent role is being explored.\n");
  expect(read('.teddy/turn.context')).toBe('docs/briefs/01-finisher-agent-brief.md\n');
});

/** The lines, but for what stands in the blocks under Output and Error. */
function withoutWordings(report: string): string[] {
  return report.replace(/^(\*\*(?:Output|Error):\*\*\n````\w*\n)[\s\S]*?^````$/gm, '$1…\n````').split('\n');
}

function blockAfter(report: string, label: string): string {
  const [, block = ''] = report.slice(report.indexOf(label)).split(/^````\w*\n/m);
  return block;
}

/** A SearXNG that knows two answers. */
async function serveSearches(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const results = FOUND[searchParams.get('q') ?? ''];
    const known = pathname === '/search' && searchParams.get('format') === 'json' && results !== undefined;
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ results: results ?? [] }));
  });
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
