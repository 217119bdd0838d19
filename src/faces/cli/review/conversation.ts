import type { Plan } from '../../../core/plan/types.js';
import type { Tree } from '../../../core/tree.js';
import type { RestApproval } from '../../../review/compose.js';
import type {
  ActionQuestion,
  Answer,
  ChangesetOverview,
  FailedCommand,
  FileQuestion,
  Overview,
  Question,
  RerunAnswer,
  StateQuestion,
} from '../../../review/question.js';
import { Abandoned } from '../terminal/keyboard.js';
import { type Line, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import { plural } from '../words.js';
import { Comments } from './comments.js';
import { Drafts } from './drafts.js';
import { editAction, editChangedFile, editResult } from './edit-action.js';
import { decidedLines } from './file-lines.js';
import { chooseHunks, severalHunks } from './hunk-choice.js';
import type { Rest } from './overview-lines.js';
import { confirmRest, confirmRestOfFiles, groupChoices, questionChoices, rerunPanel } from './panels.js';
import { questionLines } from './question-lines.js';
import { askToAllowReads, groupLines, type ReadGroup, ReadGroups } from './read-group.js';
import { askReason, messageIn, type Reply, type ReplyReader, takeReply } from './reply.js';
import { ReviewOverview } from './review-overview.js';
import { ReviewSteps, sectionsOf } from './review-steps.js';

export interface ConversationOptions {
  root: string;
  keepGoing: boolean;
  /** Resolves the paths of edited actions. */
  tree: Tree;
  /** Where drafts are saved; an absolute path, which exists when it is needed. */
  draftFolder: () => string;
  /** Writes `review.reads: allow` to the user's config and returns its path. */
  allowReads: () => Promise<string>;
  rest: RestApproval;
  /** Undefined: every text is a reply. */
  readReply?: ReplyReader | undefined;
  /** Changes can only be kept or dropped: not edited, and not commented on. */
  onlyChooses?: boolean;
}

/** Returns to the question, which is printed again if the screen has changed. */
interface Again {
  hint?: Line | undefined;
  isHidden: boolean;
}

const STAY: Again = { isHidden: false };
const SHOW: Again = { isHidden: true };

type Quit = Extract<Answer, { decision: 'quit' }>;
type Decided = Extract<Answer, { decision: 'approve' | 'skip' }>;

/** One review from the first question to the last: what was asked, and what 'approve the rest' covers. */
export class Conversation {
  interrupted = false;
  /** The terminal was closed. */
  isLost = false;
  readonly steps = new ReviewSteps();
  readonly #screen: Screen;
  readonly #drafts: Drafts;
  readonly #keepGoing: boolean;
  readonly #tree: Tree;
  readonly #allowReads: () => Promise<string>;
  readonly #rest: RestApproval;
  readonly #readReply: ReplyReader | undefined;
  readonly #overview: ReviewOverview;
  readonly #onlyChooses: boolean;
  readonly #comments = new Comments();
  readonly #reads = new ReadGroups();
  #over: Quit | undefined;
  /** Aborted once another face has answered the question that is open: what was decided here does not count then. */
  #lost: AbortSignal | undefined;

  constructor(screen: Screen, options: ConversationOptions) {
    this.#screen = screen;
    this.#rest = options.rest;
    this.#overview = new ReviewOverview(screen, options.root);
    this.#keepGoing = options.keepGoing;
    this.#tree = options.tree;
    this.#allowReads = options.allowReads;
    this.#readReply = options.readReply;
    this.#onlyChooses = options.onlyChooses === true;
    this.#drafts = new Drafts(options.draftFolder);
  }

  begin(overview: Overview | ChangesetOverview): void {
    this.#overview.begin(overview);
    if ('plan' in overview) this.steps.begin(overview.plan);
  }

  /** Answers READs that were decided as a group. */
  resolve(question: Question): Answer | undefined {
    return this.#reads.answerTo(question);
  }

  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    const work = async () => (await this.#open(question)) ?? (await this.#converse(question));
    return this.#atKeyboard(work, signal);
  }

  /** After a command failed: run it again, continue, or stop. */
  askRerun(failed: FailedCommand, signal?: AbortSignal): Promise<RerunAnswer> {
    const panel = rerunPanel(this.#screen, failed);
    const work = async (): Promise<RerunAnswer> => {
      for (;;) {
        const key = await panel.ask();
        if (key === 'r') return { decision: 'rerun' };
        if (key === 'c') return { decision: 'continue' };
        const answer = key === 'q' ? await this.#quit(panel) : this.#break(key);
        if (answer !== undefined) return answer;
      }
    };
    return this.#atKeyboard<RerunAnswer>(work, signal);
  }

  /** Whether the user has quit: everything after that is skipped. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async #atKeyboard<T extends { decision: string }>(
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | Quit> {
    if (this.#over !== undefined) return this.#over;
    this.#lost = signal;
    this.#screen.openKeyboard();
    try {
      const answer = await (signal ? this.#screen.keyboard.unless(signal, work) : work());
      if (answer.decision === 'quit') this.#over = answer as unknown as Quit;
      return answer;
    } catch (error) {
      if (error instanceof Abandoned) return this.#abandon();
      return { decision: 'quit', reason: `The review failed (${error}).` };
    } finally {
      this.#screen.closeKeyboard();
    }
  }

  /** Another face has answered. Typed text is kept as a draft. */
  #abandon(): Quit {
    this.#screen.endPaging();
    this.#drafts.keepUnfinished();
    return { decision: 'quit', reason: null };
  }

  /** Shows the overview once, before the first question or automatic action. */
  showOverview(): void {
    this.#overview.show();
  }

  async #open(question: Question): Promise<Answer | undefined> {
    const panel = this.#overview.open(this.#linesOf(question, this.#screen.width));
    if (panel === undefined) return undefined;
    for (;;) {
      const key = await panel.ask();
      if (key === 'enter') return undefined;
      const answer =
        key === 'r'
          ? await this.#readRationale(panel)
          : key === 'q'
            ? await this.#quit(panel)
            : this.#break(key);
      if (answer !== undefined) return answer;
    }
  }

  #linesOf(question: Question, width: number): Line[] {
    const { look } = this.#screen;
    const group = this.#groupAt(question);
    return group ? groupLines(group, totalOf(question), look, width) : questionLines(question, look, width);
  }

  async #converse(question: Question): Promise<Answer> {
    const panel = this.#panelFor(question);
    const message = messageIn(question);
    let answer: Answer | Again = message ? await this.#reply(message, panel, 'person') : STAY;
    while (!('decision' in answer)) {
      if (answer.isHidden) panel.hide();
      const key = await panel.ask(answer.hint);
      answer = await this.#answerTo(key, question, panel);
      // Now one by one.
      if (key === 'o') return this.#converse(question);
    }
    if (question.kind === 'file') this.#screen.print(decidedLines(question, answer, this.#screen.look));
    return this.#comments.attach(answer, question);
  }

  async #answerTo(key: string, question: Question, panel: Panel): Promise<Answer | Again> {
    const action = question.kind === 'action' ? question : undefined;
    switch (key) {
      case 'reply':
        return this.#reply(action!, panel, 'person');
      case 'y':
        return this.#decide({ decision: 'approve', by: 'person', hash: question.hash }, question);
      case 'n':
        return this.#skip(panel, question);
      case 'q':
        return (await this.#quit(panel)) ?? STAY;
      case 'a':
        return this.#approveRest(question, panel);
      case 'r':
        return (await this.#readRationale(panel)) ?? STAY;
      case 'o':
        this.#reads.askOneByOne(this.#groupAt(question)!);
        return SHOW;
      case 'w':
        return this.#allow(question);
      case 'b':
        return this.#back();
      case 'c':
        return this.#comment(panel, question);
      case 'h':
        return this.#chooseHunks(question.kind === 'file' ? question : action!);
      case 'e':
      case 'E':
        if (question.kind === 'file') return this.#editFile(question);
        return this.#edit(action!, key === 'e' && action!.preview.kind === 'write');
      default:
        return this.#break(key);
    }
  }

  #groupAt(question: Question): ReadGroup | undefined {
    return this.#reads.startingAt(question, this.#overview.plan);
  }

  /** The answer to a group of READs is the answer to each. */
  #decide(answer: Decided, question: Question): Answer {
    const group = this.#groupAt(question);
    if (group) this.#reads.decide(group, answer, this.#lost);
    return answer;
  }

  #panelFor(question: Question): Panel {
    const group = this.#groupAt(question);
    const { ofPlan, ofChangeset } = this.#overview;
    return new Panel(this.#screen, {
      build: (width) => this.#linesOf(question, width),
      scrolls: messageIn(question) !== undefined,
      help: (width) => this.#overview.help(width),
      choices: [
        ...(group ? groupChoices(group) : questionChoices(question, this.#onlyChooses)),
        ...(this.steps.canGoBack(question) ? [{ key: 'b', label: 'back' }] : []),
        ...(ofPlan || ofChangeset
          ? [{ key: 'a', label: ofPlan ? 'approve the rest' : 'keep the rest' }]
          : []),
        ...(ofPlan ? [{ key: 'r', label: 'rationale' }] : []),
        { key: 'q', label: 'quit' },
      ],
    });
  }

  async #edit(question: ActionQuestion, isResult: boolean): Promise<Answer | Again> {
    const edit = await (isResult ? editResult : editAction)(this.#screen, question, this.#drafts, this.#tree);
    if (edit.status === 'replaced') return { decision: 'replace', action: edit.action };
    return edit.status === 'kept' ? { hint: edit.note, isHidden: true } : this.#break(edit.status);
  }

  async #editFile(question: FileQuestion): Promise<Answer | Again> {
    const edit = await editChangedFile(this.#screen, question, this.#drafts);
    if (edit.status === 'text') return { decision: 'rewrite', text: edit.text };
    return edit.status === 'kept' ? { hint: edit.note, isHidden: true } : this.#break(edit.status);
  }

  async #comment(panel: Panel, question: Question): Promise<Answer | Again> {
    const title = 'Comment for the agent (start with "12:" to mean line 12)';
    const typed = await typeText(this.#screen, { title, enter: 'done', above: panel });
    if (typed.status !== 'done') return typed.status === 'back' ? STAY : this.#break(typed.status);
    const text = typed.text.trim();
    if (text === '') return STAY;
    const count = this.#comments.add(question, text);
    return {
      hint: say(`${plural(count, 'comment')} on this file, sent with your decision.`),
      isHidden: false,
    };
  }

  async #chooseHunks(question: ActionQuestion | FileQuestion): Promise<Answer | Again> {
    const chosen = await chooseHunks(this.#screen, question, severalHunks(question)!, async (panel, name) => {
      const reason = await this.#askReason(panel, 'Why drop it?', name);
      if (typeof reason === 'string') return reason;
      return reason.key === undefined ? undefined : { key: reason.key };
    });
    if (chosen.status === 'back') return SHOW;
    if (chosen.status === 'break') return this.#break(chosen.key);
    const { keep } = chosen;
    if (keep.ids.length > 0) return { decision: 'approve', by: 'person', hash: question.hash, keep };
    const reasons = Object.values(keep.reasons);
    return { decision: 'skip', by: 'person', reason: reasons.length === 0 ? null : reasons.join('\n') };
  }

  async #allow(question: Question): Promise<Answer | Again> {
    const allowed = await askToAllowReads(this.#screen, this.#allowReads);
    if (allowed.status === 'break') return this.#break(allowed.key);
    if (allowed.status === 'back') return { hint: allowed.note, isHidden: true };
    return this.#decide({ decision: 'approve', by: 'person', hash: question.hash }, question);
  }

  #back(): Answer {
    this.#reads.reopen();
    return { decision: 'back' };
  }

  async #readRationale(panel: Panel): Promise<Answer | undefined> {
    const end = await this.#overview.readRationale(panel);
    return end === 'read' ? undefined : this.#break(end);
  }

  async #skip(panel: Panel, question: Question): Promise<Answer | Again> {
    const title =
      question.kind === 'file' ? 'Why drop it?' : `Why skip ${this.#groupAt(question) ? 'them' : 'it'}?`;
    const reason = await this.#askReason(panel, title, `reason-${nameOf(question)}`);
    if (typeof reason === 'object') return reason.key === undefined ? STAY : this.#break(reason.key);
    return this.#decide({ decision: 'skip', by: 'person', reason: reason === '' ? null : reason }, question);
  }

  async #quit(panel: Panel): Promise<Quit | undefined> {
    const reason = await this.#askReason(panel, 'Why quit?', 'reason-quit');
    if (typeof reason === 'object') return reason.key === undefined ? undefined : this.#break(reason.key);
    return { decision: 'quit', reason: reason === '' ? null : reason };
  }

  #askReason(above: Panel, title: string, name: string): ReturnType<typeof askReason> {
    return askReason(this.#screen, this.#drafts, { title, name, above });
  }

  async #approveRest(question: Question, panel: Panel): Promise<Answer | Again> {
    if (question.kind === 'file') return this.#approveFiles(question);
    const overview = this.#overview.ofPlan;
    if (overview === undefined) return STAY;
    const key = await confirmRest(this.#screen, restAt(question, overview.plan), {
      overview,
      question,
      keepGoing: this.#keepGoing,
    });
    if (key === 'n') return SHOW;
    if (key !== 'y') return this.#break(key);
    const message = messageIn(question);
    if (message !== undefined) {
      panel.hide();
      const answer = await this.#reply(message, panel, 'rest');
      // Going back from the reply also withdraws 'approve the rest'.
      this.#rest.set('decision' in answer && answer.decision !== 'quit', this.#lost);
      return 'decision' in answer ? answer : SHOW;
    }
    this.#rest.set(true, this.#lost);
    return { decision: 'approve', by: 'rest', hash: question.hash };
  }

  async #approveFiles(question: FileQuestion): Promise<Answer | Again> {
    const key = await confirmRestOfFiles(this.#screen, this.#overview.ofChangeset!, question.number);
    if (key === 'n') return SHOW;
    if (key !== 'y') return this.#break(key);
    this.#rest.set(true, this.#lost);
    // A conflict stays a question of its own.
    if (question.conflict !== null) return SHOW;
    return { decision: 'approve', by: 'rest', hash: question.hash };
  }

  /** A message is answered by typing; Esc leads to the keys. */
  async #reply(question: ActionQuestion, panel: Panel, by: 'person' | 'rest'): Promise<Answer | Again> {
    await panel.show();
    const reply: Reply = await takeReply(this.#screen, this.#drafts, {
      number: question.number,
      above: panel,
      read: this.#readReply,
    });
    switch (reply.status) {
      case 'sent':
        return { decision: 'approve', by, hash: question.hash, reply: reply.text };
      case 'empty':
        return { decision: 'skip', by: 'person', reason: null };
      case 'back':
        return reply.disturbed ? SHOW : STAY;
      default:
        return this.#break(reply.status);
    }
  }

  /** Ctrl-C, or a terminal that was closed. */
  #break(how: string): Quit {
    if (how === 'ended') {
      this.isLost = true;
      return { decision: 'quit', reason: 'The terminal was closed during the review.' };
    }
    this.interrupted = true;
    return { decision: 'quit', reason: null };
  }
}

/** What 'approve the rest' covers, from this question on. */
function restAt(question: ActionQuestion | StateQuestion, plan: Plan): Rest {
  if (question.kind === 'action') return { sections: [], from: question.number };
  const sections = sectionsOf(plan);
  return { sections: sections.slice(sections.indexOf(question.section)), from: 1 };
}

function totalOf(question: Question): number {
  return question.kind === 'state' ? 0 : question.total;
}

function nameOf(question: Question): string {
  return question.kind === 'state'
    ? question.section.toLowerCase().replace(' ', '-')
    : String(question.number);
}
