import type { Action, Plan, ReadAction } from '../../../core/plan/types.js';
import { UserError } from '../../../node/errors.js';
import { sameAction } from '../../../review/compose.js';
import type { Answer, Question } from '../../../review/question.js';
import type { Look } from '../output.js';
import { BLANK, foreign, type Line, prose, ruleLine, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { actionLine, knownRisks } from './overview-lines.js';

/** Consecutive READs that are decided together. */
export interface ReadGroup {
  /** The numbers of the first and the last. */
  from: number;
  to: number;
  actions: readonly ReadAction[];
}

type Decided = Extract<Answer, { decision: 'approve' | 'skip' }>;

/** The READs that the user decides on together, or chose to decide on one by one. */
export class ReadGroups {
  /** Without an answer: one by one. `lost` aborts once another face has answered instead. */
  #last: { group: ReadGroup; answer?: Decided; lost?: AbortSignal | undefined } | undefined;

  /** The group that starts with this question and is not decided yet; undefined if it has only one READ. */
  startingAt(question: Question, plan: Plan | undefined): ReadGroup | undefined {
    const last = this.#last?.lost?.aborted ? undefined : this.#last?.group;
    return last && isOfGroup(question, last) ? undefined : findReadGroup(question, plan);
  }

  /** The answer to the group of this question. */
  answerTo(question: Question): Answer | undefined {
    const { group, answer, lost } = this.#last ?? {};
    if (!group || !answer || lost?.aborted || !isOfGroup(question, group)) return undefined;
    return answer.decision === 'approve'
      ? { decision: 'approve', by: 'person', hash: question.hash }
      : answer;
  }

  decide(group: ReadGroup, answer: Decided, lost: AbortSignal | undefined): void {
    this.#last = { group, answer, lost };
  }

  askOneByOne(group: ReadGroup): void {
    this.#last = { group };
  }

  /** The user went back: the last group is asked about again. */
  reopen(): void {
    if (this.#last?.answer) this.#last = undefined;
  }
}

function findReadGroup(question: Question, plan: Plan | undefined): ReadGroup | undefined {
  if (plan === undefined || question.kind !== 'action' || question.modified) return undefined;
  const following = plan.actions.slice(question.number - 1);
  const count = following.findIndex(({ type }) => type !== 'READ');
  const actions = following.slice(0, count === -1 ? following.length : count) as ReadAction[];
  if (actions.length < 2 || !sameAction(actions[0]!, question.action)) return undefined;
  return { from: question.number, to: question.number + actions.length - 1, actions };
}

function isOfGroup(question: Question, { from, to, actions }: ReadGroup): boolean {
  if (question.kind !== 'action') return false;
  const { number, action } = question;
  return number >= from && number <= to && sameAction(actions[number - from]!, action);
}

export function groupLines(
  { from, to, actions }: ReadGroup,
  total: number,
  look: Look,
  width: number,
): Line[] {
  return [
    ruleLine(`${from}-${to} of ${total}  READ`, look, width),
    ...actions.map((action: Action, at) =>
      actionLine(from + at, action, { flags: knownRisks(action) }, look),
    ),
  ];
}

type Allowed = { status: 'allowed' } | { status: 'back'; note?: Line } | { status: 'break'; key: string };

/** Shows the setting and, after a yes, writes it. */
export async function askToAllowReads(screen: Screen, write: () => Promise<string>): Promise<Allowed> {
  const { look } = screen;
  const panel = new Panel(screen, {
    build: (width) => [
      ruleLine('Always allow reads', look, width),
      say('This goes into your own config.yaml:'),
      BLANK,
      say('review:', 'strong', 4),
      say('  reads: allow', 'strong', 4),
      BLANK,
      say(
        'From then on, teddy reads project files without asking. It still asks about files that git ignores or that are known to hold secrets (.env, private keys), and about URLs.',
      ),
    ],
    choices: [
      { key: 'y', label: 'write it, and approve these reads', consents: true },
      { key: 'n', label: 'back', also: ['escape', 'b', 'q'] },
    ],
  });
  const key = await panel.ask();
  if (key === 'n') return { status: 'back' };
  if (key !== 'y') return { status: 'break', key };
  try {
    const path = await write();
    screen.print([prose([{ text: 'Set review.reads: allow in ' }, ...foreign(path, look)])]);
    return { status: 'allowed' };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { status: 'back', note: prose(foreign(error.message, look, { style: 'flag' })) };
  }
}
