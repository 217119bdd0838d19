import { readPlan } from '../../../../core/plan/read.js';
import type { Tree } from '../../../../core/tree.js';
import { MB, readBytes } from '../../../../node/files.js';
import { decodeText } from '../../../../node/text.js';
import { UserError } from '../../../../node/user-error.js';
import { chooseReviewer } from '../../../../review/compose.js';
import { type Decisions, parseDecisions } from '../../../../review/decisions.js';
import type { Reviewer } from '../../../../review/question.js';
import { resolvePathIn } from '../../../../review/resolve-path.js';
import type { RunListener } from '../../../../runs/events.js';
import type { RunFolder } from '../../../../workspace/runs/run-folder.js';
import { openTree } from '../../../../workspace/tree.js';
import { describeProblems, type TrustedProject } from '../../project.js';
import { createProgress } from '../../review/progress.js';
import { visibleLine } from '../../visible.js';

interface Options {
  color: boolean;
  yes?: boolean;
  keepGoing?: boolean;
  decisions?: string;
}

export interface Review {
  reviewer: Reviewer;
  listen: RunListener;
  /** Whether a person ended the review with Ctrl-C. */
  interrupted(): boolean;
  close(): void;
}

/** Who decides: the policy, a decisions file, and then either `--yes` or the person at the terminal. */
export async function chooseReviewers(
  text: string,
  { root, policy }: TrustedProject,
  options: Options,
  folder: () => RunFolder,
): Promise<Review> {
  const { yes } = options;
  const tree = openTree(root);
  const decisions =
    options.decisions === undefined ? undefined : await readDecisions(options.decisions, text, tree);
  const needsNobody = yes || (decisions && decisions.default !== null);
  const terminal = needsNobody ? undefined : await openTerminal(root, options, tree, folder);
  const person = terminal?.reviewer;
  return {
    reviewer: chooseReviewer({ policy, decisions, yes, person, resolve: resolvePathIn(root) }),
    listen: terminal?.listen ?? createProgress(options),
    interrupted: () => terminal?.interrupted() ?? false,
    close: () => terminal?.close(),
  };
}

/** Loaded only where there is someone to ask. */
async function openTerminal(
  root: string,
  { color, keepGoing = false }: Options,
  tree: Tree,
  folder: () => RunFolder,
) {
  const { openTerminalReview } = await import('../../review/terminal-review.js');
  return openTerminalReview({ root, color, keepGoing, tree, draftFolder: () => folder().makeDrafts() });
}

async function readDecisions(file: string, text: string, tree: Tree): Promise<Decisions | undefined> {
  const { plan } = readPlan(text, tree);
  // Such a plan is refused, whatever was decided on it.
  if (plan === null) return undefined;
  const name = visibleLine(file);
  const read = readBytes(file, MB);
  if (read.status === 'missing') throw new UserError(`${name} does not exist.`);
  if (read.status === 'refused') throw new UserError(`${name} ${read.reason}.`);
  const decoded = decodeText(read.bytes);
  if (decoded.status === 'refused') throw new UserError(`${name} ${decoded.reason}.`);
  const parsed = await parseDecisions(decoded.text, plan, file);
  if (parsed.status === 'decisions') return parsed.decisions;
  throw new UserError(describeProblems(parsed.problems));
}
