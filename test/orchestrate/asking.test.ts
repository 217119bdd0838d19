import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import type { TaskQuestion, UntimedEvent } from '../../src/orchestrate/events.js';
import type { Person } from '../../src/orchestrate/orchestration.js';
import { TaskAsking } from '../../src/orchestrate/questions.js';

const question = (id: string): TaskQuestion => ({
  id,
  name: id,
  why: 'blocked',
  message: 'Why?',
  detail: '',
  answers: ['retry', 'skip'],
  blocks: [],
  outputs: [],
});

/** Answers what a test gives it, when it does. */
class Sitting implements Person {
  readonly asked: string[] = [];
  private readonly waiting = new Map<string, (answer: string | undefined) => void>();

  ask({ id }: TaskQuestion, signal: AbortSignal): Promise<string | undefined> {
    this.asked.push(id);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }

  async say(id: string, answer: string | undefined): Promise<void> {
    this.waiting.get(id)!(answer);
    await setImmediate();
  }
}

function open(
  person: Person | undefined,
  take: (task: string, answer: string) => Promise<void> = async () => {},
) {
  const events: UntimedEvent[] = [];
  const taken: string[] = [];
  let changes = 0;
  const asking = new TaskAsking(
    person,
    (event) => events.push(event),
    async (task, answer) => {
      await take(task, answer);
      taken.push(`${task} ${answer}`);
    },
    () => {
      changes++;
    },
  );
  return { asking, events, taken, changes: () => changes };
}

describe('questions', () => {
  test('with nobody there they are told, stand, and wait for nobody', () => {
    const { asking, events } = open(undefined);
    asking.ask(question('1'), 2);
    expect(events).toEqual([{ type: 'asked', question: question('1') }]);
    expect([asking.has('1'), asking.has('2'), asking.isPending]).toEqual([true, false, false]);
    expect(asking.decisionsAt('1')).toBe(2);
    expect(asking.decisionsAt('2')).toBeUndefined();
    asking.close('1');
    expect([asking.has('1'), asking.questions]).toEqual([false, []]);
  });

  test('an answer is taken; the question stands until what comes of it is found', async () => {
    const person = new Sitting();
    const { asking, taken } = open(person);
    asking.ask(question('1'), 0);
    expect(asking.isPending).toBe(true);
    await person.say('1', 'retry');
    expect(taken).toEqual(['1 retry']);
    expect(asking.has('1')).toBe(true);
    asking.close('1');
    expect(asking.isPending).toBe(false);
  });

  test('what is no answer is said, and asked again', async () => {
    const person = new Sitting();
    const { asking, events, taken } = open(person, async (_, answer) => {
      if (answer === 'perhaps') throw new UserError('"perhaps" is no answer.');
    });
    asking.ask(question('1'), 0);
    await person.say('1', 'perhaps');
    expect(events.at(-1)).toEqual({ type: 'note', message: '"perhaps" is no answer.' });
    expect(person.asked).toEqual(['1', '1']);
    expect(asking.isPending).toBe(true);
    await person.say('1', 'skip');
    expect(taken).toEqual(['1 skip']);
  });

  test('left for later it stands, and whoever waits is told', async () => {
    const person = new Sitting();
    const { asking, taken, changes } = open(person);
    asking.ask(question('1'), 0);
    asking.ask(question('2'), 0);
    await person.say('1', undefined);
    expect([asking.has('1'), asking.isPending, changes()]).toEqual([true, true, 1]);
    asking.stop();
    await setImmediate();
    expect([asking.isPending, asking.questions.map(({ id }) => id), taken]).toEqual([false, ['1', '2'], []]);
  });

  test('taken up again it is waited for again, until it is answered or over', async () => {
    const sitting = new Sitting();
    let recall = (_: boolean) => {};
    const { asking, taken } = open({
      ask: (asked, signal) => sitting.ask(asked, signal),
      recall: (_, signal) =>
        new Promise((resolve) => {
          recall = resolve;
          signal.addEventListener('abort', () => resolve(false), { once: true });
        }),
    });
    asking.ask(question('1'), 0);
    await sitting.say('1', undefined);
    expect(asking.isPending).toBe(false);
    recall(true);
    await setImmediate();
    expect([asking.isPending, sitting.asked]).toEqual([true, ['1', '1']]);
    await sitting.say('1', undefined);
    recall(true);
    await setImmediate();
    await sitting.say('1', 'skip');
    expect(taken).toEqual(['1 skip']);
    asking.ask(question('2'), 0);
    await sitting.say('2', undefined);
    asking.stop();
    await setImmediate();
    expect([asking.isPending, sitting.asked.length]).toEqual([false, 4]);
  });

  test('answered elsewhere: what the person then says is not taken', async () => {
    const { asking, taken } = open({
      // Does not listen to the signal.
      ask: async () => {
        await setImmediate();
        return 'abort';
      },
    });
    asking.ask(question('1'), 0);
    asking.close('1');
    await setImmediate();
    await setImmediate();
    expect(taken).toEqual([]);
    expect(asking.isPending).toBe(false);
  });
});
