/** Real texts, changes to them, and their hunks played back as FIND and REPLACE. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { applyEdit } from '../../../src/core/plan/edit/apply.js';
import { findEdit } from '../../../src/core/plan/edit/match.js';
import { countOverlapping } from './edit-oracle.js';

export interface Change {
  name: string;
  before: string;
  after: string;
}

export interface Replay {
  hunks: number;
  applied: number;
  ambiguous: number;
  /** What must not be: each line names the change and the hunk. */
  faults: string[];
}

interface Hunk {
  find: string;
  replace: string;
  /** 1-based line of `before`. */
  line: number;
  /** How many lines longer it makes the text. */
  growth: number;
}

const MOST_BYTES = 200_000;

/** Text files under a folder, the same ones each time, spread over all of it. */
export function sampleFiles(root: string, count: number): string[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|js|ts)$/.test(path))
    .map((path) => join(root, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size < MOST_BYTES)
    .sort();
  const step = Math.max(1, Math.floor(paths.length / count));
  return paths.filter((_, index) => index % step === 0).slice(0, count);
}

/** A text that this kind of test can speak of: UTF-8, one kind of line ending, more than a line or two. */
export function readPlainText(path: string): string | undefined {
  const text = readFileSync(path, 'utf8');
  return isPlain(text) && text.split('\n').length > 5 ? text : undefined;
}

function isPlain(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  const isUniform = crlf === 0 || crlf === text.split('\n').length - 1;
  return (
    isUniform && text.split('\r').length - 1 === crlf && !text.includes('\ufffd') && !text.includes('\0')
  );
}

export function createRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Changes, inserts, deletes and repeats a few lines; the last line stays, and so its ending. */
export function changeLines(text: string, random: (limit: number) => number): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(ending);
  for (let left = 1 + random(6); left > 0 && lines.length > 3; left--) {
    const at = random(lines.length - 2);
    const line = lines[at]!;
    const edits = [
      () => lines.splice(at, 1, `${line} // $& changed ${left}`),
      () => lines.splice(at, 1, line.replace(/\w+/, 'renamed')),
      () => lines.splice(at, 0, `  inserted ${left}`, '', `\tinserted “again”`),
      () => lines.splice(at, 1 + random(2)),
      () => lines.splice(at, 0, line),
    ];
    edits[random(edits.length)]!();
  }
  return lines.join(ending);
}

/** What the files of consecutive commits became; nothing where there is no history. */
export function listCommittedChanges(root: string, mostCommits: number): Change[] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 28 });
  try {
    const commits = git('log', '--first-parent', '--format=%H', `-${mostCommits}`)
      .split('\n')
      .filter(Boolean);
    return commits.slice(0, -1).flatMap((commit, index) => {
      const parent = commits[index + 1]!;
      const paths = git('diff', '--name-only', '--diff-filter=M', '--no-renames', '-z', parent, commit);
      return paths
        .split('\0')
        .filter((path) => /\.(md|js|mjs|cjs|ts|json|yaml|yml)$/.test(path))
        .map((path) => ({
          name: `${commit.slice(0, 8)} ${path}`,
          before: git('show', `${parent}:${path}`),
          after: git('show', `${commit}:${path}`),
        }));
    });
  } catch {
    return [];
  }
}

export function canReplay({ before, after }: Change): boolean {
  const hasSameEnd = before.endsWith('\n') === after.endsWith('\n');
  const hasSameEndings = before.includes('\r\n') === after.includes('\r\n');
  return before.length < MOST_BYTES && isPlain(before) && isPlain(after) && hasSameEnd && hasSameEndings;
}

/** Plays the hunks one after the other, each on what the ones before it left. */
export function replay({ name, before, after }: Change): Replay {
  const result: Replay = { hunks: 0, applied: 0, ambiguous: 0, faults: [] };
  let text = before;
  let growth = 0;
  for (const hunk of listHunks(before, after)) {
    result.hunks++;
    const fault = (what: string): number => result.faults.push(`${name}, line ${hunk.line}: ${what}`);
    const match = findEdit(text, hunk.find, hunk.replace);
    const places = countOverlapping(text.replaceAll('\r\n', '\n'), hunk.find).length;
    if (match.status === 'ambiguous') {
      result.ambiguous++;
      if (places < 2) fault('ambiguous, but it stands there once');
    } else if (match.status === 'missing') {
      fault('missing');
    } else {
      if (places > 1 && match.tier === 'exact') fault('found, but it stands there more than once');
      if (match.line !== hunk.line + growth) fault(`found on line ${match.line}`);
      const edit = applyEdit(text, match, hunk.find, hunk.replace);
      if (edit.status === 'refused') fault(edit.reason);
      else text = edit.text;
      result.applied++;
      growth += hunk.growth;
    }
  }
  if (result.applied === result.hunks && text !== after) result.faults.push(`${name}: the result differs`);
  return result;
}

/** As a plan would have them: with LF, without byte order mark and the newline after the last line. */
function listHunks(before: string, after: string): Hunk[] {
  const [from, to] = [before.replace(/^\ufeff/, ''), after.replace(/^\ufeff/, '')];
  return structuredPatch('a', 'b', from, to, '', '', { context: 3 }).hunks.map((hunk) => {
    const side = (sign: '-' | '+'): string =>
      hunk.lines
        .filter((line) => line[0] === ' ' || line[0] === sign)
        .map((line) => line.slice(1).replace(/\r$/, ''))
        .join('\n');
    return {
      find: side('-'),
      replace: side('+'),
      line: hunk.oldStart,
      growth: hunk.newLines - hunk.oldLines,
    };
  });
}
