import type { Hunk } from '../../../core/changeset/hunks.js';
import type { Answer, ChangesetOverview, FileQuestion } from '../../../review/question.js';
import { listByRisk, RISKS, type RiskKind } from '../../../review/risks.js';
import type { Look } from '../output.js';
import {
  BLANK,
  foreignLine,
  type Line,
  labelled,
  prose,
  ruleLine,
  type Span,
  splitText,
} from '../terminal/line.js';
import { plural } from '../words.js';
import { contentLines, diffLines, findHunks, measureDiff } from './diff-lines.js';

// An agent's changes: the list of files, and one file with its risks and its diff.

/** All files, those with risks first, before the first question. */
export function changesetLines(
  { title, files, notes }: ChangesetOverview,
  root: string,
  look: Look,
  width: number,
): Line[] {
  const size = files
    .map(sizeOf)
    .reduce((sum, each) => ({ added: sum.added + each.added, removed: sum.removed + each.removed }), {
      added: 0,
      removed: 0,
    });
  return [
    BLANK,
    prose(foreignLine(title, look, 'title'), 0, 2),
    ...labelled([['Root', [root]]], look, width),
    prose([
      { text: `${plural(files.length, 'file')}  ` },
      { text: `+${size.added}`, style: 'added' },
      { text: ` -${size.removed}`, style: 'removed' },
    ]),
    ...listByRisk(files).flatMap((part) => [BLANK, ...part.map((file) => fileLine(file, look))]),
    ...(notes.length === 0 ? [] : [BLANK, ...notes.map((note) => flagLine(note, 'flag', look))]),
  ];
}

/** What 'keep the rest' keeps. */
export function restOfFiles(
  { files }: ChangesetOverview,
  from: number,
  look: Look,
  width: number,
): { lines: Line[]; count: number } {
  const rest = files.slice(from - 1);
  const lines = rest.map((file) => fileLine(file, look));
  return {
    lines: [ruleLine(`Keep the rest: ${rest.length}`, look, width), ...lines, BLANK],
    count: rest.length,
  };
}

function fileLine(file: FileQuestion, look: Look): Line {
  const { number, total, type, path, from, risks, conflict } = file;
  const spans: Span[] = [
    { text: `${String(number).padStart(String(total).length)} ` },
    { text: `${type} `, style: 'strong' },
    ...foreignLine(path, look),
    ...(from === undefined ? [] : [{ text: ' from ', style: 'dim' as const }, ...foreignLine(from, look)]),
    ...sizeSpans(file, look),
    ...risks.flatMap(({ kind, message }): Span[] => [
      { text: ` ${look.glyphs.flag} `, style: riskStyle(kind) },
      ...foreignLine(message, look, riskStyle(kind)),
    ]),
    ...(conflict === null ? [] : [{ text: ' (you will be asked)', style: 'dim' as const }]),
  ];
  return prose(spans, 4, 6);
}

/** One file: everything that the user needs to decide, the gravest first. */
export function fileQuestionLines(file: FileQuestion, look: Look, width: number): Line[] {
  const { number, total, type, path, from, modified, risks, conflict } = file;
  const body = bodyLines(file, look, width);
  return [
    ruleLine(`${number} of ${total}  ${type}${modified ? '  (as you edited it)' : ''}`, look, width),
    prose([...foreignLine(path, look, 'strong'), ...sizeSpans(file, look)], 2, 4),
    ...risks.map(({ kind, message }) => flagLine(message, riskStyle(kind), look)),
    ...labelled(
      [
        ...(from === undefined ? [] : [['from', [from]] as const]),
        ...(conflict === null
          ? []
          : [
              [
                'choose',
                ['y takes the version of the agent, n keeps the one of the project, e merges by hand'],
              ] as const,
            ]),
      ],
      look,
      width,
    ),
    ...(body.length === 0 ? [] : [BLANK, ...body]),
  ];
}

function bodyLines({ path, texts: { before, after } }: FileQuestion, look: Look, width: number): Line[] {
  if (before === null) return after === null ? [] : contentLines(after, path, look, width);
  return before === after ? [] : diffLines({ path, before, after: after ?? '' }, look, width);
}

/** The parts of a file as hunks of a diff; undefined if it is one decision. */
export function partHunks({ path, texts: { before, after }, parts }: FileQuestion): Hunk[] | undefined {
  if (parts.length === 0) return undefined;
  const hunks = before === null || after === null ? [] : findHunks({ path, before, after });
  // A mode is shown as a change of one line, which is in no text.
  return parts.map(({ id, lines }, at) => ({
    ...(hunks[at] ?? { before: { start: 0, count: 1 }, after: { start: 0, count: 1 }, lines }),
    id,
  }));
}

function riskStyle(kind: RiskKind): 'danger' | 'flag' {
  return RISKS[kind].isGrave ? 'danger' : 'flag';
}

function flagLine(text: string, style: 'danger' | 'flag', look: Look): Line {
  return prose([{ text: `${look.glyphs.flag} `, style }, ...foreignLine(text, look, style)], 2, 4);
}

/** `  +2 -1`, and what else there is to know: `  +2 -0, executable` */
function sizeSpans(file: FileQuestion, look: Look): Span[] {
  const { added, removed } = sizeOf(file);
  const facts = file.facts.join(', ');
  if (added + removed === 0) return foreignLine(facts === '' ? '' : `  ${facts}`, look, 'dim');
  return [
    { text: `  +${added}`, style: 'added' },
    { text: ` -${removed}`, style: 'removed' },
    ...foreignLine(facts === '' ? '' : `, ${facts}`, look, 'dim'),
  ];
}

/** `✔ 2/7 EDIT a.txt kept`; nothing for what is no decision. */
export function decidedLines(file: FileQuestion, answer: Answer, look: Look): Line[] {
  if (answer.decision !== 'approve' && answer.decision !== 'skip') return [];
  const isKept = answer.decision === 'approve';
  const reason = isKept ? null : answer.reason;
  const outcome = isKept ? (answer.keep ? 'kept in part' : 'kept') : 'dropped';
  const head = `${file.number}/${file.total} ${file.type} `;
  return [
    prose(
      [
        isKept
          ? { text: `${look.glyphs.good} ${head}`, style: 'good' }
          : { text: `${look.glyphs.none} ${head}`, style: 'dim' },
        ...foreignLine(file.path, look),
        { text: ` ${outcome}${reason === null ? '' : ': '}`, style: 'dim' },
        ...foreignLine(reason ?? '', look, 'dim'),
      ],
      0,
      2,
    ),
  ];
}

function sizeOf({ path, texts: { before, after } }: FileQuestion): { added: number; removed: number } {
  if (before === null) return { added: after === null ? 0 : splitText(after).length, removed: 0 };
  return measureDiff({ path, before, after: after ?? '' });
}
