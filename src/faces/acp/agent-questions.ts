import { readTextForm, type ShownCall, writeTextForm } from '../../core/acp/agent-messages.js';
import { ACP_METHODS } from '../../core/acp/messages.js';
import { visibleLine } from '../../core/text.js';
import type { AgentDecisions } from '../../orchestrate/executors/types.js';
import type { Workspace } from '../../workspace/workspace.js';
import { askInInbox } from '../cli/ask-in-inbox.js';
import { visible } from '../cli/output.js';
import type { EditorChannel } from './channel.js';
import { choose, type PromptGate } from './editor-review.js';
import { fenced } from './tool-calls.js';

type Ask = NonNullable<AgentDecisions['ask']>;
type AgentAnswer = Awaited<ReturnType<Ask>>;

interface AskingEditor {
  workspace: Workspace;
  channel: EditorChannel;
  gate: PromptGate;
}

/** What a wrapped agent asks while it works: in the editor and in every other face. The first answer counts. */
export async function askForAgentInEditor(
  at: AskingEditor,
  asked: Parameters<Ask>[0],
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const answered = new AbortController();
  const open = AbortSignal.any([signal, answered.signal]);
  // Without an answer here, the others still may have one.
  const here = askHere(at, asked, open).then((answer) => answer ?? new Promise<never>(() => {}));
  try {
    return await Promise.race([here, askInInbox(at.workspace, asked, open)]);
  } finally {
    answered.abort();
  }
}

let lastId = 0;

async function askHere(
  at: AskingEditor,
  asked: Parameters<Ask>[0],
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const { channel, gate } = at;
  const { client, question, options } = asked;
  const [title = '', ...rest] = question.trim().split('\n');
  if (options.length === 0) {
    channel.show({ kind: 'text', from: 'agent', text: `${visible(question.trim())}\n\n` });
    const reply = await gate.awaitReply(signal);
    if (reply === undefined) return undefined;
    return 'text' in reply ? { text: reply.text, reason: null } : { text: null, reason: reply.skip };
  }
  const call: ShownCall = {
    id: `question-${++lastId}`,
    kind: 'other',
    status: 'pending',
    files: [],
    diff: null,
    title: visibleLine(`${client}: ${title}`),
    text: rest.join('').trim() === '' ? '' : fenced(rest.join('\n').trim()),
  };
  channel.show({ kind: 'call', call, isNew: true });
  await gate.attached(signal);
  const picked = await choose(
    channel,
    call,
    options.map((name, at) => ({
      id: String(at),
      name: visibleLine(name),
      allows: !REFUSES.test(name),
      always: ALWAYS.test(name),
    })),
    signal,
    () => gate.cancel(),
  );
  const option = picked === undefined ? undefined : options[Number(picked)]!;
  const isRefused = option === undefined || REFUSES.test(option);
  channel.show({ kind: 'call', call: { ...call, status: isRefused ? 'failed' : 'completed' }, isNew: false });
  if (option === undefined) return undefined;
  if (!isRefused || !channel.hasForms) return { text: option, reason: null };
  const form = { call: call.id, message: `Why refuse it? ${call.title}`, title: 'Reason (optional)' };
  const answer = await channel.request(ACP_METHODS.form, writeTextForm(channel.session, form), signal);
  const reason = answer.status === 'result' ? readTextForm(answer.value) : null;
  return { text: reason ?? option, reason: null };
}

/** The words of permissions are teddy's own. */
const REFUSES = /^Refuse(?: always)?: /;
const ALWAYS = /^\w+ always: /;
