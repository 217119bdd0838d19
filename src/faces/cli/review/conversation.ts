import type { Plan } from '../../../core/plan/types.js';
import type { Tree } from '../../../core/tree.js';
import type { ActionQuestion, Answer, Overview, Question } from '../../../review/question.js';
import { type Line, layOut, say } from '../terminal/line.js';
import { page } from '../terminal/pager.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import { Drafts, editAction, type Reply, sameAction, takeReply } from './drafts.js';
import {
  helpLines,
  overviewLines,
  type Rest,
  rationaleLines,
  restLines,
  type StateSection,
} from './overview-lines.js';
import { questionLines } from './question-lines.js';

/** The keys, a hint, and blank rows around. */
const ROOM_FOR_KEYS = 4;

interface ConversationOptions {
  root: string;
  keepGoing: boolean;
  /** What an edited action's paths are read against. */
  tree: Tree;
  draftFolder: () => string;
}

/** One review from the first question to the last: what was asked, and what 'approve the rest' covers. */
export class Conversation {
  interrupted = false;
  readonly #screen: Screen;
  readonly #root: string;
  readonly #drafts: Drafts;
  readonly #keepGoing: boolean;
  readonly #tree: Tree;
  #overview: Overview | undefined;
  #overviewShown = false;
  readonly #asked = new Set<StateSection>();
  #restApproved = false;
  #over: Answer | undefined;

  constructor(screen: Screen, { root, keepGoing, tree, draftFolder }: ConversationOptions) {
    this.#screen = screen;
    this.#root = root;
    this.#keepGoing = keepGoing;
    this.#tree = tree;
    this.#drafts = new Drafts(draftFolder);
  }

  begin(overview: Overview): void {
    this.#overview = overview;
  }

  /** 'Approve the rest' covers the actions that were listed: one that has changed since is asked about. */
  settle(question: Question): Answer | undefined {
    if (!this.#restApproved) return undefined;
    if (question.kind === 'action') {
      const listed = this.#overview?.plan.actions[question.number - 1];
      if (question.action.type === 'CHAT_WITH_USER' || listed === undefined) return undefined;
      if (!sameAction(listed, question.action)) return undefined;
    }
    return { decision: 'approve', by: 'rest', hash: question.hash };
  }

  async ask(question: Question): Promise<Answer> {
    if (this.#over !== undefined) return this.#over;
    this.#screen.openKeyboard();
    try {
      const answer = (await this.#open(question)) ?? (await this.#converse(question));
      if (answer.decision === 'quit') this.#over = answer;
      return answer;
    } catch (error) {
      return { decision: 'quit', reason: `The review failed (${error}).` };
    } finally {
      this.#screen.closeKeyboard();
    }
  }

  /** The plan as a whole, once: before the first question, or before the first action that needs none. */
  showOverview(): void {
    if (this.#overview === undefined || this.#overviewShown) return;
    this.#overviewShown = true;
    const screen = this.#screen;
    screen.print(overviewLines(this.#overview, this.#root, screen.look, screen.width));
  }

  /** Where overview and question do not fit on one screen, the overview waits for a key. */
  async #open(question: Question): Promise<Answer | undefined> {
    const overview = this.#overview;
    if (overview === undefined || this.#overviewShown) return undefined;
    const { look, width, height } = this.#screen;
    const first = overviewLines(overview, this.#root, look, width);
    const both = [...first, ...questionLines(question, look, width)];
    if (fits(both, width, height - ROOM_FOR_KEYS)) {
      this.showOverview();
      return undefined;
    }
    this.#overviewShown = true;
    const panel = new Panel(this.#screen, {
      build: (columns) => overviewLines(overview, this.#root, look, columns),
      choices: [
        { key: 'enter', shown: 'Enter', label: 'start review', also: [' '] },
        { key: 'r', label: 'rationale' },
        { key: 'q', label: 'quit' },
      ],
    });
    for (;;) {
      const key = await panel.ask();
      if (key === 'enter') return undefined;
      const answer =
        key === 'r'
          ? await this.#readRationale(panel, overview.plan)
          : key === 'q'
            ? await this.#quit(panel)
            : this.#break(key);
      if (answer !== undefined) return answer;
    }
  }

  async #converse(question: Question): Promise<Answer> {
    if (question.kind === 'state') this.#asked.add(question.section);
    const panel = this.#panelFor(question);
    let hint: Line | undefined;
    for (;;) {
      const key = await panel.ask(hint);
      hint = undefined;
      if (key === 'r') {
        const end = await this.#readRationale(panel, this.#overview?.plan);
        if (end !== undefined) return end;
      } else if (key === 'e' && question.kind === 'action' && question.action.type !== 'CHAT_WITH_USER') {
        const edit = await editAction(this.#screen, question, this.#drafts, this.#tree);
        if (edit.status === 'replaced') return { decision: 'replace', action: edit.action };
        if (edit.status !== 'kept') return this.#break(edit.status);
        hint = edit.note;
        panel.hide();
      } else {
        const answer = await this.#answerTo(key, question, panel);
        if (answer === 'again') panel.hide();
        else if (answer !== undefined) return answer;
      }
    }
  }

  /** Undefined leads back to the question, 'again' shows it anew. */
  async #answerTo(key: string, question: Question, panel: Panel): Promise<Answer | 'again' | undefined> {
    const chat =
      question.kind === 'action' && question.action.type === 'CHAT_WITH_USER' ? question : undefined;
    if (chat !== undefined && (key === 'y' || key === 'e'))
      return this.#reply(chat, key === 'e', panel, 'person');
    switch (key) {
      case 'y':
        return { decision: 'approve', by: 'person', hash: question.hash };
      case 'n':
        return this.#skip(panel, `reason-${nameOf(question)}`);
      case 'q':
        return this.#quit(panel);
      case 'a':
        return this.#approveRest(question, panel, chat);
      default:
        return this.#break(key);
    }
  }

  #panelFor(question: Question): Panel {
    const { look } = this.#screen;
    const action = question.kind === 'action' ? question.action : undefined;
    const chat = action?.type === 'CHAT_WITH_USER';
    return new Panel(this.#screen, {
      build: (width) => questionLines(question, look, width),
      help: (width) => helpLines(look, width),
      choices: [
        { key: 'y', label: chat ? 'reply' : 'approve', consents: true },
        { key: 'n', label: 'skip' },
        ...(action === undefined ? [] : [{ key: 'e', label: chat ? 'reply in editor' : 'edit' }]),
        ...(this.#overview === undefined
          ? []
          : [
              { key: 'a', label: 'approve the rest' },
              { key: 'r', label: 'rationale' },
            ]),
        { key: 'q', label: 'quit' },
      ],
    });
  }

  async #readRationale(panel: Panel, plan: Plan | undefined): Promise<Answer | undefined> {
    if (plan === undefined) return undefined;
    const screen = this.#screen;
    screen.clearFoot();
    const end = await page(screen, (width) => rationaleLines(plan, screen.look, width));
    if (!screen.endPaging()) panel.hide();
    return end === 'read' ? undefined : this.#break(end);
  }

  async #skip(panel: Panel, name: string): Promise<Answer | undefined> {
    const reason = await this.#askReason(panel, 'Why skip it?', name);
    if (typeof reason === 'object') return reason.answer;
    return { decision: 'skip', by: 'person', reason: reason === '' ? null : reason };
  }

  async #quit(panel: Panel): Promise<Answer | undefined> {
    const reason = await this.#askReason(panel, 'Why quit?', 'reason-quit');
    if (typeof reason === 'object') return reason.answer;
    return { decision: 'quit', reason: reason === '' ? null : reason };
  }

  async #askReason(
    panel: Panel,
    title: string,
    name: string,
  ): Promise<string | { answer: Answer | undefined }> {
    const typed = await typeText(this.#screen, {
      title,
      enter: 'done (empty: no reason)',
      text: this.#drafts.unfinished.get(name) ?? '',
      above: panel,
    });
    this.#drafts.unfinished.set(name, typed.text);
    const reason = typed.text.trim();
    if (reason !== '' && typed.status !== 'back') this.#drafts.create(name, `${reason}\n`);
    if (typed.status === 'done') return reason;
    return { answer: typed.status === 'back' ? undefined : this.#break(typed.status) };
  }

  async #approveRest(
    question: Question,
    panel: Panel,
    chat: ActionQuestion | undefined,
  ): Promise<Answer | 'again' | undefined> {
    const plan = this.#overview?.plan;
    if (plan === undefined) return undefined;
    const { look } = this.#screen;
    const rest = this.#restAt(question, plan);
    const failure = this.#keepGoing
      ? 'The run continues when one of them fails.'
      : 'The run stops when one of them fails.';
    const count = rest.sections.length + plan.actions.length - rest.from + 1;
    const list = new Panel(this.#screen, {
      build: (width) => [...restLines(rest, plan, question, look, width), say(failure)],
      choices: [
        { key: 'y', label: count === 1 ? 'approve it' : `approve all ${count}`, consents: true },
        { key: 'n', label: 'back', also: ['escape', 'q'] },
      ],
    });
    const key = await list.ask();
    if (key === 'n') return 'again';
    if (key !== 'y') return this.#break(key);
    if (chat !== undefined) {
      const answer = await this.#reply(chat, false, panel, 'rest');
      // Going back from the reply withdraws the approval of the rest, too.
      this.#restApproved = typeof answer === 'object' && answer.decision !== 'quit';
      return answer ?? 'again';
    }
    this.#restApproved = true;
    return { decision: 'approve', by: 'rest', hash: question.hash };
  }

  #restAt(question: Question, plan: Plan): Rest {
    const proposed: StateSection[] = [
      ...(plan.activeContext.length > 0 ? ['Active Context' as const] : []),
      ...(plan.memos.length > 0 ? ['Memos' as const] : []),
    ];
    const sections = proposed.filter(
      (section) => !this.#asked.has(section) || (question.kind === 'state' && question.section === section),
    );
    // State changes come before the actions: at an action none of them is open.
    return question.kind === 'state' ? { sections, from: 1 } : { sections: [], from: question.number };
  }

  async #reply(
    question: ActionQuestion,
    inEditor: boolean,
    panel: Panel,
    by: 'person' | 'rest',
  ): Promise<Answer | 'again' | undefined> {
    const reply: Reply = await takeReply(this.#screen, this.#drafts, question.number, {
      inEditor,
      above: panel,
    });
    switch (reply.status) {
      case 'sent':
        return { decision: 'approve', by, hash: question.hash, reply: reply.text };
      case 'empty':
        return { decision: 'skip', by: 'person', reason: null };
      case 'back':
        return reply.disturbed ? 'again' : undefined;
      default:
        return this.#break(reply.status);
    }
  }

  /** Ctrl-C, or a terminal that was closed. */
  #break(how: string): Answer {
    if (how === 'ended') return { decision: 'quit', reason: 'The terminal was closed during the review.' };
    this.interrupted = true;
    return { decision: 'quit', reason: null };
  }
}

function fits(lines: readonly Line[], width: number, rows: number): boolean {
  let left = rows;
  return lines.every((line) => {
    left -= layOut(line, width).length;
    return left >= 0;
  });
}

function nameOf(question: Question): string {
  return question.kind === 'action'
    ? String(question.number)
    : question.section.toLowerCase().replace(' ', '-');
}
