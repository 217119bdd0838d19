import { holdRequest } from '../../inbox/agent-requests.js';
import { executeProposal, type Proposal } from '../../inbox/proposals.js';
import { UserError } from '../../node/errors.js';
import { openReview } from '../open-review.js';
import type { EventHub } from './events.js';
import type { WebProject } from './web-project.js';

/** Plans of agents that are reviewed and run in this server. */
export class ProposalWork {
  readonly #project: WebProject;
  readonly #hub: EventHub;
  readonly #works = new Map<Promise<void>, AbortController>();
  #isClosed = false;

  constructor(project: WebProject, hub: EventHub) {
    this.#project = project;
    this.#hub = hub;
  }

  /** Resolves once the run has started; its questions are then in the inbox. */
  async start(proposal: Proposal): Promise<void> {
    const { workspace, requireTrusted } = this.#project;
    const trusted = await requireTrusted();
    if (this.#isClosed) throw new UserError('The server is stopping.');
    const held = holdRequest(workspace, proposal.id);
    const interrupt = new AbortController();
    await new Promise<void>((started, refuse) => {
      const work = openReview({ workspace, ...trusted, interrupt }, { onRun: () => started() })
        .then((execution) => executeProposal(proposal, execution))
        .then(() => started(), refuse)
        .finally(() => {
          held.release();
          this.#works.delete(work);
          this.#hub.send({ type: 'changed', what: 'inbox' });
          this.#hub.send({ type: 'changed', what: 'runs' });
        });
      this.#works.set(work, interrupt);
    });
  }

  /** Interrupts every review: where nothing was decided, the plan waits again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const interrupt of this.#works.values()) interrupt.abort();
    await Promise.allSettled(this.#works.keys());
  }
}
