// npm run docs: writes the lists of issues from the built library: docs/issues.md as a whole, and in other pages the text
// between two marks. With --check it writes nothing and exits with 1 if a page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';

const { MANUAL_ISSUES, PLAN_ISSUES, REPORT_ISSUES, RESULT_ISSUES, STATE_ISSUES, TASK_PLAN_ISSUES } =
  await import('../dist/index.js');

const KINDS = {
  structure: {
    title: 'Structure',
    lead: 'The plan cannot be run as written. It is refused.',
  },
  prediction: {
    title: 'Prediction',
    lead: 'The plan is well-formed, but an action would fail on the files as they are now. `teddy validate` refuses it; in a review you can continue anyway. After an EXECUTE the files are unknown, so these become warnings.',
  },
  format: {
    title: 'Format',
    lead: 'The plan was repaired, is written differently from the format, or leaves out something optional. `--strict` turns these into errors.',
  },
};

const PAGES = {
  'docs/issues.md': issuesPage,
  'docs/formats/agent-report.md': (page) => fillList(page, 'REPORT_ISSUES', REPORT_ISSUES),
  'docs/formats/task-plan.md': (page) => fillList(page, 'TASK_PLAN_ISSUES', TASK_PLAN_ISSUES),
  'docs/formats/task-result.md': (page) => fillList(page, 'RESULT_ISSUES', RESULT_ISSUES),
  'docs/formats/state.md': (page) => fillList(page, 'STATE_ISSUES', STATE_ISSUES),
  'docs/agents.md': (page) => fillList(page, 'MANUAL_ISSUES', MANUAL_ISSUES),
};

function issuesPage() {
  const parts = [
    '# Issues of a plan',
    '<!-- Written by `npm run docs` from PLAN_ISSUES. Change the meaning there. -->',
    'Every issue has a code, a severity and a message, and usually a line and a hint. Scripts should rely on the codes: they never change. [The plan format](formats/plan.md) shows most of them in examples.',
    ...Object.keys(KINDS).flatMap(section),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(kind) {
  const { title, lead } = KINDS[kind];
  const rows = Object.entries(PLAN_ISSUES).filter(([, issue]) => issue.kind === kind);
  return [`## ${title}`, lead, list(rows)];
}

const SEVERITIES = { error: 'Errors:', warning: 'Warnings:', info: 'For information:' };

/** Under their severities. */
function list(rows) {
  return Object.entries(SEVERITIES)
    .flatMap(([severity, title]) => {
      const items = rows.filter(([, issue]) => issue.severity === severity);
      if (items.length === 0) return [];
      return [`${title}\n\n${items.map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`).join('\n')}`];
    })
    .join('\n\n');
}

function fillList(page, name, issues) {
  const begin = `<!-- Written by \`npm run docs\` from ${name}. Change the meaning there. -->`;
  const end = '<!-- The end of the list. -->';
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`The page has no marks for ${name}.`);
  return `${page.slice(0, from)}${begin}\n\n${list(Object.entries(issues))}\n\n${page.slice(to)}`;
}

for (const [path, write] of Object.entries(PAGES)) {
  const url = new URL(`../${path}`, import.meta.url);
  const page = readFileSync(url, 'utf8');
  const text = write(page);
  if (text === page) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} is out of date; run \`npm run docs\`.`);
    process.exitCode = 1;
  } else {
    writeFileSync(url, text);
  }
}
