import type { Plan } from '../../../core/plan/types.js';
import type { ChangesetOverview, Overview } from '../../../review/question.js';
import { fits, type Line } from '../terminal/line.js';
import { page } from '../terminal/pager.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { changesetLines } from './file-lines.js';
import { overviewLines, rationaleLines } from './overview-lines.js';
import { helpLines } from './panels.js';
import { isOnlyMessage } from './reply.js';

/** Room for the keys, a hint and blank rows. */
const ROOM_FOR_KEYS = 4;

/** What a review starts with: the overview of a plan or of an agent's changes, shown once. */
export class ReviewOverview {
  ofPlan: Overview | undefined;
  ofChangeset: ChangesetOverview | undefined;
  readonly #screen: Screen;
  readonly #root: string;
  #isShown = false;

  constructor(screen: Screen, root: string) {
    this.#screen = screen;
    this.#root = root;
  }

  /** A plan that is only a message has no overview. */
  begin(overview: Overview | ChangesetOverview): void {
    this.#isShown = 'plan' in overview && isOnlyMessage(overview);
    if ('files' in overview) this.ofChangeset = overview;
    else this.ofPlan = overview;
  }

  get plan(): Plan | undefined {
    return this.ofPlan?.plan;
  }

  /** Prints it, before the first question or automatic action. */
  show(): void {
    const lines = this.#isShown ? undefined : this.#lines(this.#screen.width);
    if (lines === undefined) return;
    this.#isShown = true;
    this.#screen.print(lines);
  }

  /** Prints it above the first question; if both do not fit on one screen, it waits for a key in this panel. */
  open(question: readonly Line[]): Panel | undefined {
    const { width, height } = this.#screen;
    const lines = this.#isShown ? undefined : this.#lines(width);
    if (lines === undefined) return undefined;
    if (fits([...lines, ...question], width, height - ROOM_FOR_KEYS)) {
      this.show();
      return undefined;
    }
    this.#isShown = true;
    return new Panel(this.#screen, {
      build: (columns) => this.#lines(columns)!.slice(1),
      help: (columns) => this.help(columns),
      choices: [
        { key: 'enter', shown: 'Enter', label: 'start review', also: [' '] },
        ...(this.ofPlan ? [{ key: 'r', label: 'rationale' }] : []),
        { key: 'q', label: 'quit' },
      ],
    });
  }

  /** What each key does. */
  help(width: number): Line[] {
    return helpLines(this.#screen.look, width, this.ofPlan ? 'plan' : 'files');
  }

  /** Shows why the plan is as it is. Returns `read`, or the key that ended the review. */
  async readRationale(panel: Panel): Promise<string> {
    const { plan } = this;
    if (plan === undefined) return 'read';
    const screen = this.#screen;
    screen.clearFoot();
    const end = await page(screen, (width) => rationaleLines(plan, screen.look, width));
    if (!screen.endPaging()) panel.hide();
    return end;
  }

  #lines(width: number): Line[] | undefined {
    const { look } = this.#screen;
    if (this.ofChangeset) return changesetLines(this.ofChangeset, this.#root, look, width);
    return this.ofPlan && overviewLines(this.ofPlan, this.#root, look, width);
  }
}
