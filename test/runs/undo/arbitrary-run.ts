import fc from 'fast-check';
import type { Action } from '../../../src/core/plan/types.js';
import type { Answer, Question, Reviewer } from '../../../src/review/question.js';
import { type Around, chat, create, edit, prune, read } from '../boundary/plan.js';
import type { Entry } from './snapshot.js';

const NAMES = [
  'a.txt',
  'b.md',
  'docs',
  'docs/c.txt',
  'docs/sub/d.txt',
  'link',
  'link/e.txt',
  'bin/run.sh',
  'ünï cöde.txt',
  'deep/er/f',
  '.env',
];
const path = fc.constantFrom(...NAMES);
const LINES = [
  'one',
  'two',
  '  three',
  'four',
  '\tfive',
  '',
  'the end',
  'x = 1',
  'max = 1',
  '“quoted”',
  '$& $$',
];
const line = fc.constantFrom(...LINES);

const bytes = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '\ufeff'),
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('\n', '\n', '\r\n'),
        fc.boolean(),
      )
      .map(([start, lines, end, last]) => Buffer.from(start + lines.join(end) + (last ? end : ''))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array)) },
);

const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('file' as const),
      path,
      bytes,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o664),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('folder' as const),
      path,
      mode: fc.constantFrom(0o755, 0o700, 0o2775),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      path,
      target: fc.constantFrom('docs', 'a.txt', '../a.txt', 'nowhere', '/etc', './bin'),
    }),
  },
);

const memos: fc.Arbitrary<Entry[]> = fc
  .constantFrom('', '- A fact.\n', '# mine\n- "A fact."\n- Another # why\n', '[A fact., x]\n')
  .map((text) =>
    text === '' ? [] : [{ kind: 'file', path: '.teddy/memos.yaml', bytes: Buffer.from(text), mode: 0o640 }],
  );
const context: fc.Arbitrary<Entry[]> = fc
  .constantFrom('', 'a.txt', '# mine\na.txt\r\n!docs\n\n')
  .map((text) =>
    text === '' ? [] : [{ kind: 'file', path: '.teddy/turn.context', bytes: Buffer.from(text), mode: 0o600 }],
  );
const broughtContext: fc.Arbitrary<Entry[]> = fc
  .boolean()
  .map((there) =>
    there
      ? [{ kind: 'file', path: '.teddy/global.context', bytes: Buffer.from('a.txt\n'), mode: 0o644 }]
      : [],
  );

export const anyEntries: fc.Arbitrary<Entry[]> = fc
  .tuple(fc.array(entry, { minLength: 3, maxLength: 9 }), memos, context, broughtContext)
  .map(([entries, ...state]) => [...entries, ...state.flat()]);

const pair = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 2 }), fc.array(line, { maxLength: 3 }))
  .map(([find, replace]): [string, string] => [find.join('\n'), replace.join('\n')])
  .filter(([find, replace]) => find.trim() !== '' && find !== replace);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(path, fc.array(line, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([name, lines, overwrite]) => create(name, `${lines.join('\n')}\n`, overwrite)),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(path, fc.array(pair, { minLength: 1, maxLength: 3 }))
      .map(([name, pairs]) => edit(name, ...pairs)),
  },
  { weight: 1, arbitrary: path.map((name) => read(name)) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, fc.integer({ min: 1, max: 4 })).map(([name, from]) => read(name, from)),
  },
  { weight: 1, arbitrary: path.map(prune) },
  { weight: 1, arbitrary: fc.constant(chat('Shall we?')) },
);

export const anyActions = fc.array(action, { minLength: 1, maxLength: 7 });

export const anyAround: fc.Arbitrary<Around> = fc.record({
  memos: fc.uniqueArray(fc.constantFrom('+ A fact.', '+ A new fact.', '- Another', '- Nothing of it.'), {
    maxLength: 3,
  }),
  context: fc.uniqueArray(fc.constantFrom('+ a.txt', '- a.txt', '+ docs/c.txt', '- docs'), { maxLength: 2 }),
});

/** Decisions as a file has them, for so many actions. */
export const anyDecisions = fc.record({
  fallback: fc.constantFrom('approve', 'approve', 'approve', 'skip'),
  skips: fc.array(fc.nat(6), { maxLength: 2 }),
  reply: fc.option(fc.constantFrom('Yes.', 'No,\nnot yet.')),
});

/** The text of a decisions file, and only what its plan allows. */
export function decisionsText(
  { fallback, skips, reply }: { fallback: string; skips: number[]; reply: string | null },
  actions: readonly Action[],
): string {
  const skipped = new Set(skips.filter((at) => at < actions.length));
  const replies = actions.flatMap(({ type }, at) =>
    type === 'CHAT_WITH_USER' && !skipped.has(at) && reply !== null ? [at] : [],
  );
  return JSON.stringify({
    default: fallback,
    decisions: [...skipped].map((at) => ({ action: at + 1, decision: 'skip', reason: 'Not this one.' })),
    replies: replies.map((at) => ({ action: at + 1, text: reply })),
  });
}

/** A person who says yes, no, something else or that it is enough. */
export function moodyPerson(moods: readonly number[]): Reviewer {
  let asked = 0;
  return {
    resolve: () => undefined,
    async ask(question: Question): Promise<Answer> {
      const mood = moods[asked++ % moods.length]!;
      if (mood === 0) return { decision: 'skip', by: 'person', reason: null };
      if (mood === 1 && asked > 3) return { decision: 'quit', reason: 'Enough.' };
      if (mood === 2 && question.kind === 'action' && !question.modified && question.action.type === 'CREATE')
        return { decision: 'replace', action: { ...question.action, content: 'by hand\n' } };
      return { decision: 'approve', by: 'person', hash: question.hash, reply: 'Yes.' };
    },
  };
}
