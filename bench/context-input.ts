import { createHash } from 'node:crypto';
import { createRedactor } from '../src/core/redact/redactor.js';
import { assembleInput } from '../src/sessions/context/assemble-input.js';

/** The texts of the `*.context` files, and how much room there is for what they bring. */
export interface Choice {
  turn: string;
  session: string;
  global: string;
  /** In tokens; 0 is no limit. */
  budget: number;
}

const redactor = createRedactor({
  hash: (text) => createHash('sha256').update(text).digest('hex'),
  secrets: ['a-secret-of-the-environment', 'another-one-of-them'],
});

/** What a turn of a session would be planned with. */
export async function assemble(
  root: string,
  { turn, session, global, budget }: Choice,
): Promise<{ text: string; chosen: string[] }> {
  const { text, resources, leftOut } = await assembleInput({
    root,
    sources: [
      { name: 'global.context', text: global },
      { name: 'session.context', text: session },
      { name: 'turn.context', text: turn },
    ],
    pages: () => undefined,
    facts: {
      session: { name: 'bench', turn: 3, agent: 'developer' },
      task: null,
      handoff: null,
      date: '2026-01-02T03:04:05Z',
      system: 'linux',
      project: 'bench',
      memos: ['One thing to remember.'],
      message: 'Go on.',
      earlier: null,
      rationale: null,
      report: { turn: 2, text: '# A plan\n\n- **Overall Status:** Completed 🟢\n'.repeat(50), undone: null },
    },
    budget,
    mask: (each) => redactor.mask(each),
  });
  if (leftOut.length > 0 && budget === 0) throw new Error(`left out: ${JSON.stringify(leftOut[0])}`);
  return { text, chosen: resources.map(({ target }) => target) };
}
