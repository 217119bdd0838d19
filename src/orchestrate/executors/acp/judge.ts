import type { PermissionRequest } from '../../../core/acp/messages.js';
import { shortenCounted } from '../../../core/text.js';
import { Mutex } from '../../concurrency.js';
import type { ExecutorIO, TaskAssignment } from '../types.js';
import type { AgentJudge } from './agent-session.js';
import { fillForm, MOST_FIELDS } from './forms.js';
import { allowing, describeCall, labelOption, readChoice, refusing, ruleOnCall } from './permissions.js';

interface Asking {
  /** Stops the clock while the user thinks. */
  time: { whileAsking<T>(answer: Promise<T>): Promise<T> };
  /** Called with the title of a question before the user is asked. */
  onWait(title: string): void;
}

const NO_ONE = 'The policy does not allow it, and there is no one to ask.';
const LONGEST_QUESTION = 10_000;
const LONGEST_OPTION = 200;

/** Decides what an agent asks for: by the policy, and where it is silent by the user. Never rejects. */
export function createJudge(
  client: string,
  { taskId, attempt, cwd }: TaskAssignment,
  io: ExecutorIO,
  { time, onWait }: Asking,
): AgentJudge {
  const { decisions } = io;
  const about = `Task ${taskId}, attempt ${attempt}`;
  const mask = (text: string) => {
    const stream = io.mask();
    return stream.push(text) + stream.end();
  };
  const askNow = async (question: string, options: string[], signal: AbortSignal) => {
    if (decisions?.ask === undefined) return { text: null, reason: NO_ONE };
    if (signal.aborted) return undefined;
    const asked = {
      client,
      question: mask(shortenCounted(question, LONGEST_QUESTION)),
      options: options.map((option) => mask(shortenCounted(option, LONGEST_OPTION))),
    };
    onWait(question);
    try {
      const answer = decisions.ask(asked, signal);
      return await (decisions.hasUser ? time.whileAsking(answer) : answer);
    } catch (error) {
      return { text: null, reason: `You could not be asked (${error}).` };
    }
  };
  // The user gets one question of an agent after the other.
  const questions = new Mutex();
  const ask = (question: string, options: string[], signal: AbortSignal) =>
    questions.run(() => askNow(question, options, signal));
  return {
    async decide(request, signal) {
      const { call, options } = request;
      const title = titleOf(request);
      const refuse = (reason: string | null) => ({ option: refusing(options), refused: { title, reason } });
      if (decisions === undefined) return refuse(NO_ONE);
      const ruling = ruleOnCall(decisions.policy, call, cwd);
      if (ruling.verdict === 'deny') return refuse(ruling.reason);
      if (allowing(options) === null) return refuse('The agent gave no option that allows it.');
      if (ruling.verdict === 'allow') return { option: allowing(options) };
      const answer = await ask(describeCall(call, about), options.map(labelOption), signal);
      if (answer === undefined) return { option: null };
      if (answer.text === null) return refuse(answer.reason);
      const { option, reason } = readChoice(answer.text, request);
      return option?.allows ? { option } : { option, refused: { title, reason } };
    },
    async fill(form, signal) {
      if (form.fields.length > MOST_FIELDS) return null;
      return fillForm(form, async (question, options) => {
        const answer = await ask(`${question}\n\n${about}`, options, signal);
        return answer?.text ?? null;
      });
    },
  };
}

function titleOf({ call }: PermissionRequest): string {
  return shortenCounted(call.title.trim().split(/[\r\n]/, 1)[0]!, LONGEST_OPTION);
}
