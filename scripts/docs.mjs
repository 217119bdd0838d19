// npm run docs: writes docs/issues.md from the built library's own table of issues. With --check it writes nothing
// and exits with 1 if the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../docs/issues.md', import.meta.url);
const { PLAN_ISSUES } = await import('../dist/index.js');

const KINDS = {
  structure: {
    title: 'Structure',
    lead: 'The plan cannot be carried out as it is written. It is refused.',
  },
  prediction: {
    title: 'Prediction',
    lead: 'The plan reads well, but an action would fail on the files as they are now. `teddy validate` refuses it; a person who reviews it may go on all the same. After an EXECUTE the files are unknown, so that these are only warnings.',
  },
  format: {
    title: 'Format',
    lead: 'The plan was repaired, read with a tolerance, or lacks something that it can do without. `--strict` makes these errors.',
  },
};

function page() {
  return [
    '# Issues of a plan',
    '<!-- Written by `npm run docs` from PLAN_ISSUES. Change the meaning there. -->',
    'Every issue has a code, which stays; a severity; a message; and mostly a line and a hint. Codes are what scripts should rely on. [The format](formats/plan.md) shows most of them at work.',
    ...Object.keys(KINDS).flatMap(section),
  ].join('\n\n');
}

function section(kind) {
  const { title, lead } = KINDS[kind];
  const rows = Object.entries(PLAN_ISSUES).filter(([, issue]) => issue.kind === kind);
  const table = [
    '| code | severity | meaning |',
    '| --- | --- | --- |',
    ...rows.map(([code, { severity, meaning }]) => `| \`${code}\` | ${severity} | ${meaning} |`),
  ];
  return [`## ${title}`, lead, table.join('\n')];
}

const text = `${page()}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, text);
} else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('docs/issues.md is out of date; run `npm run docs`.');
  process.exitCode = 1;
}
