import { holdRequest } from '../../inbox/agent-requests.js';
import { takeWork } from '../../inbox/changes-questions.js';
import { executeProposal, type Proposal } from '../../inbox/proposals.js';
import { UserError } from '../../node/errors.js';
import { openReview, type ReviewFace, reviewWorkIn } from '../open-review.js';
import type { EventHub } from './events.js';
import type { WebProject } from './web-project.js';

/** Reviews of what agents submitted or changed, in this server: their questions are in the inbox. */
export class AgentReviews {
  readonly #project: WebProject;
  readonly #hub: EventHub;
  readonly #works = new Map<Promise<void>, AbortController>();
  #isClosed = false;

  constructor(project: WebProject, hub: EventHub) {
    this.#project = project;
    this.#hub = hub;
  }

  /** Reviews and runs a plan. Resolves once the run has started. */
  async reviewProposal(proposal: Proposal): Promise<void> {
    const { workspace, requireTrusted } = this.#project;
    const trusted = await requireTrusted();
    const held = holdRequest(workspace, proposal.id);
    await this.#start(
      async (interrupt, face) => {
        const execution = await openReview({ workspace, ...trusted, interrupt }, face);
        await executeProposal(proposal, execution);
      },
      () => held.release(),
    );
  }

  /** Reviews changes, and lands what is kept. Resolves once their run has started, or nothing is left of them. */
  async reviewChanges(id: string): Promise<void> {
    const { workspace, requireTrusted } = this.#project;
    const trusted = await requireTrusted();
    const work = await takeWork(workspace, id);
    await this.#start(
      async (interrupt, face) => {
        const reviewed = await reviewWorkIn({ workspace, ...trusted, interrupt }, face, work);
        if (reviewed.status === 'failed') throw new UserError(reviewed.reason);
      },
      () => work.close(),
    );
  }

  /** Interrupts every review: where nothing was decided, it waits again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const interrupt of this.#works.values()) interrupt.abort();
    await Promise.allSettled(this.#works.keys());
  }

  async #start(
    review: (interrupt: AbortController, face: ReviewFace) => Promise<void>,
    release: () => void,
  ): Promise<void> {
    if (this.#isClosed) {
      release();
      throw new UserError('The server is stopping.');
    }
    const interrupt = new AbortController();
    await new Promise<void>((started, refuse) => {
      const work = review(interrupt, { onRun: () => started() })
        .then(() => started(), refuse)
        .finally(() => {
          release();
          this.#works.delete(work);
          for (const what of ['inbox', 'runs', 'changes'] as const) this.#hub.send({ type: 'changed', what });
        });
      this.#works.set(work, interrupt);
    });
  }
}
