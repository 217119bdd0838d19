import { Overlay, type TextRead, type Tree } from '../tree.js';
import { applyEdit, describeMiss, findEdit, isWholeFile } from './edit/index.js';
import { type PlanIssueCode, planIssue } from './issue-codes.js';
import type {
  Action,
  CreateAction,
  EditAction,
  EditPair,
  Plan,
  PlanIssue,
  ReadAction,
  Resource,
} from './types.js';

/** What a plan is checked against besides the tree. */
export interface PlanFacts {
  /** The memos as they are now. Left out: memos are not checked. */
  memos?: readonly string[];
}

/**
 * Predicts which actions would fail: action N is checked on the tree as it would be if actions 1 to
 * N-1 had succeeded. After an EXECUTE the tree is unknown, and what depends on it is only a warning.
 */
export function checkPlan(plan: Plan, tree: Tree, facts: PlanFacts = {}): PlanIssue[] {
  const check = new Check(tree);
  if (facts.memos) checkMemos(plan, facts.memos, check);
  for (const [i, action] of plan.actions.entries()) check.action(action, i + 1);
  checkContext(plan, check);
  return check.issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

class Check {
  readonly issues: PlanIssue[] = [];
  private readonly overlay: Overlay;
  private executed = false;
  /** Files whose content is known although a command ran, and those that an edit left in doubt. */
  private readonly known = new Set<string>();
  private readonly doubtful = new Set<string>();
  private number = 0;
  private current: Action | undefined;

  constructor(tree: Tree) {
    this.overlay = new Overlay(tree);
  }

  action(action: Action, number: number): void {
    this.number = number;
    this.current = action;
    switch (action.type) {
      case 'CREATE':
        this.create(action);
        break;
      case 'READ':
        this.read(action);
        break;
      case 'EDIT':
        this.edit(action);
        break;
      case 'EXECUTE':
        if (action.cwd !== null) this.folder(action.cwd);
        this.executed = true;
        this.known.clear();
        break;
      case 'INVOKE':
      case 'CONCLUDE':
        for (const resource of action.handoffResources) this.mention(resource, 'handed off', action.line);
        break;
    }
  }

  /** A path that is only named: the context and hand-offs go on without it. */
  mention(resource: Resource, how: string, line: number, action = this.number): void {
    if (resource.kind === 'url' || this.overlay.stat(resource.target)) return;
    this.issues.push(
      planIssue('resource-missing', `${resource.target} is ${how} and does not exist.`, {
        line,
        ...(action > 0 ? { action } : {}),
      }),
    );
  }

  private create({ path, content, overwrite, line }: CreateAction): void {
    if (path === '') return;
    const there = this.overlay.stat(path);
    const blocker = this.fileAbove(path);
    if (blocker !== undefined) {
      this.predict(
        'file-refused',
        path,
        `${path} cannot be created: ${blocker} is a file, not a folder.`,
        line,
      );
    } else if (there && there.kind !== 'file') {
      this.predict(
        'file-refused',
        path,
        `${path} cannot be created: there is a ${there.kind} of that name.`,
        line,
      );
    } else if (there && !overwrite) {
      this.predict(
        'file-exists',
        path,
        `${path} exists already.`,
        line,
        'Use EDIT to change it, or say "- **Overwrite:** true" to replace it.',
      );
    }
    this.write(path, content);
  }

  private read({ resource, lines, line }: ReadAction): void {
    if (resource.kind === 'url' || resource.target === '') return;
    const text = this.textOf(resource.target, line);
    if (text === undefined || !lines) return;
    const count = countLines(text);
    if (lines.from > count) {
      this.predict(
        'lines-outside',
        resource.target,
        `${resource.target} has ${count} lines; ${lines.from} lies past its end.`,
        line,
      );
    }
  }

  private edit({ path, edits, line }: EditAction): void {
    if (path === '') return;
    let text = this.textOf(path, line);
    if (text === undefined) return;
    for (const pair of edits) {
      const result = this.applyPair(path, text, pair);
      if (result === undefined) this.doubtful.add(path);
      else text = result;
    }
    const doubtful = this.doubtful.has(path);
    this.write(path, text);
    if (doubtful) this.doubtful.add(path);
  }

  private applyPair(path: string, text: string, { find, replace, line }: EditPair): string | undefined {
    if (find === '') return undefined;
    if (isWholeFile(text, find)) {
      this.predict(
        'find-whole-file',
        path,
        `FIND is the whole of ${path}.`,
        line,
        'EDIT is for surgical changes: quote only the lines that change, or use CREATE with "- **Overwrite:** true".',
      );
      return undefined;
    }
    const match = findEdit(text, find, replace);
    if (match.status === 'ambiguous') {
      const places = match.lines.join(', ') + (match.count > match.lines.length ? ' …' : '');
      this.predict(
        'find-ambiguous',
        path,
        `FIND is in ${path} ${match.count} times (lines ${places}).`,
        line,
        'Quote more of the lines around it, so that it is unique.',
      );
      return undefined;
    }
    if (match.status === 'missing') {
      this.predict('find-missing', path, `FIND is not in ${path}.`, line, describeMiss(match.miss));
      return undefined;
    }
    const applied = applyEdit(text, match, find, replace);
    if (applied.status === 'applied') return applied.text;
    this.predict(
      'find-missing',
      path,
      `FIND is in ${path} at line ${match.line}, but REPLACE cannot follow it: ${applied.reason}.`,
      line,
    );
    return undefined;
  }

  private folder(path: string): void {
    if (path === '.' || this.overlay.stat(path)?.kind === 'folder') return;
    this.predict('cwd-missing', path, `The working directory ${path} is not a folder.`, this.current!.line);
  }

  private textOf(path: string, line: number): string | undefined {
    const read: TextRead = this.overlay.text(path);
    if (read.status === 'text') return read.text;
    const hint = this.current?.type === 'EDIT' ? 'Use CREATE for a new file.' : undefined;
    if (read.status === 'missing') this.predict('file-missing', path, `${path} does not exist.`, line, hint);
    else this.predict('file-refused', path, `${path} ${read.reason}.`, line);
    return undefined;
  }

  /** The nearest parent of `path` that is a file. */
  private fileAbove(path: string): string | undefined {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash);
      const stat = this.overlay.stat(parent);
      if (stat) return stat.kind === 'folder' ? undefined : parent;
    }
    return undefined;
  }

  private write(path: string, text: string): void {
    this.overlay.write(path, text);
    this.known.add(path);
    this.doubtful.delete(path);
  }

  private predict(code: PlanIssueCode, path: string, message: string, line: number, hint?: string): void {
    const unsure = (this.executed && !this.known.has(path)) || this.doubtful.has(path);
    const issue = planIssue(code, message, { line, action: this.number, ...(hint ? { hint } : {}) });
    if (unsure) issue.severity = 'warning';
    this.issues.push(issue);
  }
}

function checkMemos(plan: Plan, memos: readonly string[], check: Check): void {
  const held = new Set(memos.map((memo) => memo.trim()));
  for (const { op, text, line } of plan.memos) {
    if (op === '+' && held.has(text)) {
      check.issues.push(planIssue('memo-exists', `The memo "${text}" exists already.`, { line }));
    } else if (op === '-' && !held.has(text)) {
      check.issues.push(
        planIssue('memo-missing', `The memo "${text}" does not exist.`, {
          line,
          hint: 'Repeat the memo word for word.',
        }),
      );
    }
    if (op === '+') held.add(text);
    else held.delete(text);
  }
}

function checkContext(plan: Plan, check: Check): void {
  for (const { op, path, line } of plan.activeContext) {
    if (op === '+' && !/^https?:\/\//i.test(path)) {
      check.mention({ kind: 'file', target: path }, 'added to the context', line, 0);
    }
  }
}

function countLines(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    count++;
  return count;
}
