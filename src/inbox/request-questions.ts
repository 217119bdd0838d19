import { maskerFor } from '../config/redactor.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import type { Workspace } from '../workspace/workspace.js';
import { type AgentRequest, listOpenRequests } from './agent-requests.js';
import { listProposals } from './proposals.js';
import type { InboxQuestion } from './types.js';

export type RequestInboxQuestion = Extract<InboxQuestion, { kind: 'proposal' | 'claim' | 'question' }>;

/** What agents have asked through a protocol, and the user has not decided. */
export function listRequestQuestions(workspace: Workspace): RequestInboxQuestion[] {
  const others = listOpenRequests(workspace).filter(({ kind }) => kind !== 'plan');
  const mask = maskerFor(null, environmentVariables());
  return [...listProposals(workspace), ...others].map((request) => describeRequest(request, mask));
}

/** Whether a question is a request of that kind. */
export function isRequestQuestion(question: InboxQuestion): question is RequestInboxQuestion {
  return ['proposal', 'claim', 'question'].includes(question.kind);
}

function describeRequest(request: AgentRequest, mask: (text: string) => string): RequestInboxQuestion {
  const { id, at, client } = request;
  const base = { id, hash: sha256(JSON.stringify(request)), askedAt: at, client };
  switch (request.kind) {
    case 'plan':
      return { ...base, kind: 'proposal', title: mask(request.title), subject: `Plan from ${client}` };
    case 'result': {
      const { task, name, command, text } = request;
      const title = `Result of ${task}: ${mask(name)}`;
      const claim = { task, command, text: mask(text) };
      return {
        ...base,
        kind: 'claim',
        title,
        subject: command === null ? `Claim of ${client}` : command,
        ...claim,
      };
    }
    case 'question': {
      const question = mask(request.question);
      const title = question.trim().split('\n', 1)[0]!;
      const asked = { question, options: request.options.map(mask) };
      return { ...base, kind: 'question', title, subject: `Question from ${client}`, ...asked };
    }
  }
}
