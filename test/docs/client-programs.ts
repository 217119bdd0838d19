import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Small programs by the names of the clients, where a reader's shell finds them. Each insists on the options that its page
 * shows, reads the briefing as the real one does, and prints what lies in examples/agents for the task in it. Asked for
 * the task `ask-1`, claude first forgets a field, and answers well once it is told.
 */
export function placeClientPrograms(folder: string): void {
  const programs = join(folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  for (const [name, body] of Object.entries(BODIES)) {
    const script = `#!${process.execPath}\n${SHARED}${body}`;
    writeFileSync(join(programs, name), script, { mode: 0o755 });
  }
}

const SHARED = `
const { readFileSync } = require('node:fs');
const words = process.argv.slice(2);
const briefing = readFileSync(0, 'utf8');
const insist = (holds, what) => {
  if (holds) return;
  console.error(what);
  process.exit(1);
};
const option = (name) => words[words.indexOf(name) + 1];
const print = (path) => process.stdout.write(readFileSync(path));
insist(/^# Briefing for /.test(briefing), 'This is no briefing.');
`;

const BODIES = {
  claude: `
insist(words.includes('-p') && /json$/.test(option('--output-format')), 'Not asked for JSON.');
if (words.includes('--json-schema')) insist(JSON.parse(option('--json-schema')).required, 'No schema.');
if (briefing.includes('\`postage-3\`')) print('reports/claude.json');
if (briefing.includes('\`ask-1\`')) {
  const report = JSON.parse(readFileSync('reports/investigator.json', 'utf8'));
  report.report_metadata.task_id = 'ask-1';
  report.findings.context_map = [['The zone of a country.', 'repo://src/zones.mjs:4-8']];
  if (!briefing.includes('confidence_level\` is missing')) delete report.report_metadata.confidence_level;
  const usage = { input_tokens: 1200, output_tokens: 200 };
  const result = { type: 'result', subtype: 'success', is_error: false, duration_ms: 9120, usage };
  console.log(JSON.stringify({ ...result, result: JSON.stringify(report), session_id: 'a-1' }));
}
`,
  codex: `
insist(words[0] === 'exec' && words.includes('--json') && words.at(-1) === '-', 'Not asked for events.');
const { additionalProperties } = JSON.parse(readFileSync(option('--output-schema'), 'utf8'));
insist(additionalProperties === false, 'The schema is not strict.');
print('reports/codex.jsonl');
`,
  gemini: `
insist(option('--output-format') === 'json', 'Not asked for JSON.');
print('reports/gemini.json');
`,
};
