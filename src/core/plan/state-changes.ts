import { shorten } from '../text.js';
import { type PlanIssueLog, planLine } from './issues.js';
import { writePlainPath } from './metadata.js';
import type { PathReader } from './parse/path-reader.js';
import type { ContextChange, MemoChange, Plan } from './types.js';

// The blocks of Active Context and Memos: a change a line.

export function parseMemoChanges(block: string, first: number, log: PlanIssueLog): MemoChange[] {
  return parseChanges(block, first, 'Memos', log);
}

/** URLs count as resources and stay as they are. */
export function parseContextChanges(
  block: string,
  first: number,
  paths: PathReader,
  log: PlanIssueLog,
): ContextChange[] {
  return parseChanges(block, first, 'Active Context', log).flatMap(({ text, ...change }) => {
    const path = paths.plain(text, { label: 'Active Context', line: change.line });
    return path === undefined ? [] : [{ ...change, path }];
  });
}

/** The lines of a block; the first of them is line `first` of the plan. */
function parseChanges(block: string, first: number, section: string, log: PlanIssueLog): MemoChange[] {
  const changes: MemoChange[] = [];
  block.split('\n').forEach((raw, i) => {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) return;
    const line = planLine(first + i);
    const op = text.startsWith('[+]') ? '+' : text.startsWith('[-]') ? '-' : undefined;
    const rest = op && splitComment(text.slice(3));
    if (!op || !rest || rest.text === '') {
      log.add('change-invalid', `${section}: "${shorten(text, 80)}" is not a change.`, {
        line,
        hint: 'Start each line with "[+] " to add or "[-] " to remove; "#" starts a comment.',
      });
      return;
    }
    changes.push({ op, ...rest, line });
  });
  return changes;
}

/** A `#` at the start or after white space starts the comment; `\#` is a plain `#`; `C#` is text. */
function splitComment(text: string): { text: string; comment: string | null } {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '\\' && text[i + 1] === '#') {
      out += '#';
      i++;
    } else if (c === '#' && (i === 0 || /\s/.test(text[i - 1]!))) {
      return { text: out.trim(), comment: text.slice(i + 1).trim() };
    } else {
      out += c;
    }
  }
  return { text: out.trim(), comment: null };
}

/** The inverse of `splitComment`: the text after `[+] ` or `[-] `. */
function writeChange(text: string, comment: string | null): string {
  const escaped = text.replace(/(^|[\s\\])#/g, '$1\\#');
  return comment === null ? escaped : `${escaped} # ${comment}`.trimEnd();
}

/** The changes of state that a plan proposes, in its order; `changes` are its lines, each with its newline. */
export function writeStateChanges(plan: Plan): { section: 'Active Context' | 'Memos'; changes: string }[] {
  const context = plan.activeContext.map(({ op, path, comment }) => ({
    op,
    text: writePlainPath(path),
    comment,
  }));
  return [
    { section: 'Active Context' as const, changes: changeLines(context) },
    { section: 'Memos' as const, changes: changeLines(plan.memos) },
  ].filter(({ changes }) => changes !== '');
}

function changeLines(changes: readonly { op: string; text: string; comment: string | null }[]): string {
  return changes.map(({ op, text, comment }) => `[${op}] ${writeChange(text, comment)}\n`).join('');
}
