import { type Block, type Fence, fenceText } from '../../markdown/blocks.js';
import { type Lines, lineText } from '../../markdown/lines.js';
import { shorten } from '../../text.js';
import { reportMasked, reportStray, reportUnclosed, reportUnexpected } from '../departures.js';
import { readEditLabel } from '../grammar.js';
import { type PlanIssueLog, planLine } from '../issues.js';
import type { EditPair } from '../types.js';
import { isEditFormLine, readEditForm } from './edit-forms.js';
import type { ActionOutline } from './outline.js';

type Piece = { kind: 'FIND' | 'REPLACE'; line: number } | { kind: 'fence'; fence: Fence };

const LABELLED = 'Write "`FIND:`" and a fenced block, then "`REPLACE:`" and a fenced block.';

/** The FIND and REPLACE blocks of an EDIT, in the order in which they are applied. `path` is the file's. */
export function parsePairs(
  lines: Lines,
  outline: ActionOutline,
  body: readonly Block[],
  path: string,
  log: PlanIssueLog,
): EditPair[] {
  if (reportUnfencedForm(lines, body, log)) return [];
  const pieces = body.flatMap((block) => toPieces(lines, block, log));
  const pairs: EditPair[] = [];
  let find: { text: string | undefined; line: number } | undefined;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if (piece.kind === 'fence') {
      pairs.push(...readUnlabelled(lines, piece.fence, path, log));
      continue;
    }
    const line = planLine(piece.line);
    const next = pieces[i + 1];
    const text = next?.kind === 'fence' ? halfText(lines, next.fence) : undefined;
    if (text === undefined) {
      log.add('block-missing', `Expected a fenced block after this ${piece.kind} label.`, { line });
    } else {
      i++;
      if (piece.kind === 'REPLACE' && next?.kind === 'fence') {
        reportMasked(text, planLine(next.fence.at + 1), log);
      }
    }
    if (piece.kind === 'FIND') {
      if (find) reportLoneFind(find.line, log);
      find = { text, line };
    } else if (!find) {
      log.add('replace-without-find', 'This REPLACE has no FIND before it.', {
        line,
        hint: 'Write the FIND first, then its REPLACE.',
      });
    } else {
      if (text !== undefined && find.text !== undefined)
        pairs.push(checkPair({ find: find.text, replace: text, line: find.line }, log));
      find = undefined;
    }
  }
  if (find) reportLoneFind(find.line, log);
  if (pieces.length === 0) {
    log.add('block-missing', 'EDIT needs at least one pair of FIND and REPLACE.', {
      line: planLine(outline.heading.at),
      hint: LABELLED,
    });
  }
  return pairs;
}

function toPieces(lines: Lines, block: Block, log: PlanIssueLog): Piece[] {
  if (block.type === 'fence') {
    reportUnclosed(block, lines, log);
    return [{ kind: 'fence', fence: block }];
  }
  const pieces: Piece[] = [];
  for (let line = block.at; line < block.end; line++) {
    const label = readEditLabel(lineText(lines, line));
    if (!label) {
      if (block.type !== 'rule' && lineText(lines, line).trim() !== '') reportStray(lines, line, log);
      continue;
    }
    if (!label.strict) {
      log.add('label-style', `Read "${lineText(lines, line).trim()}" as the label ${label.side}.`, {
        line: planLine(line),
        hint: `The format writes "\`${label.side}:\`".`,
      });
    }
    pieces.push({ kind: label.side, line });
  }
  return pieces;
}

/** Without a fence, Markdown does not keep the lines of a diff together. */
function reportUnfencedForm(lines: Lines, body: readonly Block[], log: PlanIssueLog): boolean {
  for (const block of body) {
    for (let line = block.at; block.type === 'text' && line < block.end; line++) {
      const text = lineText(lines, line).trim();
      if (!isEditFormLine(text)) continue;
      log.add('edit-invalid', `"${shorten(text, 60)}" is not in a fenced block.`, {
        line: planLine(line),
        hint: LABELLED,
      });
      return true;
    }
  }
  return false;
}

/** A block without a label could be anything: only a form that says itself what it replaces is read. */
function readUnlabelled(lines: Lines, fence: Fence, path: string, log: PlanIssueLog): EditPair[] {
  const form = readEditForm(fenceText(lines, fence), fence.mark.info);
  if (!form) {
    reportUnexpected(fence, 'here: a block of an EDIT follows a "`FIND:`" or "`REPLACE:`" label', log);
    return [];
  }
  const first = fence.at + 1;
  const refuse = (line: number, reason: string): EditPair[] => {
    log.add('edit-invalid', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`, {
      line: planLine(first + line),
      hint: LABELLED,
    });
    return [];
  };
  if (form.status === 'refused') return refuse(form.line, form.reason);
  const end = lineText(lines, fence.end - 1);
  if (form.name === 'a diff' && fence.closed && fence.mark.indent === 0 && end.startsWith(' '))
    return refuse(fence.end - 1 - first, `the diff ends at "${end}", which looks like one of its own lines`);
  const other = form.paths.find((named) => path !== '' && !isSameFile(named.path, path));
  if (other) return refuse(other.line, `the block is about "${other.path}", and File Path is ${path}`);
  const count = form.pairs.length;
  const message = `Read ${form.name} as ${count} FIND/REPLACE ${count === 1 ? 'pair' : 'pairs'}.`;
  log.add('edit-style', message, { line: planLine(fence.at), hint: LABELLED });
  return form.pairs.map(({ find, replace, line }) => {
    reportMasked(replace, planLine(first + line), log);
    return checkPair({ find, replace, line: planLine(first + line) }, log);
  });
}

function isSameFile(named: string, path: string): boolean {
  return named.replace(/^[`*"']+|[`*"':]+$/g, '').replace(/^(?:\.?\/)+/, '') === path;
}

/** The newline before the closing fence is part of neither half. */
function halfText(lines: Lines, fence: Fence): string {
  const text = fenceText(lines, fence);
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function reportLoneFind(line: number, log: PlanIssueLog): void {
  log.add('find-without-replace', 'This FIND has no REPLACE after it.', {
    line,
    hint: 'After the block of the FIND write "`REPLACE:`" and its block; an empty block deletes the text.',
  });
}

function checkPair(pair: EditPair, log: PlanIssueLog): EditPair {
  if (pair.find === '') {
    log.add('find-empty', 'This FIND is empty.', {
      line: pair.line,
      hint: 'Copy the text to replace, exactly as it is in the file.',
    });
  } else if (pair.find === pair.replace) {
    log.add('find-equals-replace', 'FIND and REPLACE are the same: this edit would change nothing.', {
      line: pair.line,
    });
  }
  return pair;
}
