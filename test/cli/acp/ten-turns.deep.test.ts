// One conversation in an editor with the SDK's own client: a plan that goes back, prose, a cancel, an undo, a reply, a skip
// with its reason, kill -9 and a resume. Nothing that was typed, answered or decided is lost.
import { expect, test } from 'vitest';
import { readTree } from '../../folder.js';
import type { ModelStep } from '../../model-server.mjs';
import { chat, create, edit, execute, planOf } from '../../runs/boundary/plan.js';
import { beginStory, fallsSilent } from './story.js';

/** How much of an answer comes before the model is silent. */
const SILENT_AFTER = 120;

const MESSAGES = {
  honey: 'Store the honey, please.',
  source: 'Note where the honey is from.',
  more: 'Something for the bread:\n\n\t- what you like, “süß” 🍯',
  jam: 'Jam. Red, not 青い.',
  bread: 'Bake the bread.',
  weight: '//bin/sh can weigh the jam.',
  eaten: 'The honey is eaten.',
  label: 'Label the jam.',
  year: 'The year: 2026.',
  cellar: 'Dig a cellar.',
  key: 'Then only hide the key.',
  done: 'Thank you.',
};

const HONEY = 'sweet\nfrom the heath\n';
const ANSWERS = {
  honey: planOf([create('honey.txt', 'sweet\n?\n')], { title: 'Store the honey' }),
  wrongSource: planOf([edit('honey.txt', ['!', 'from the heath'])], { title: 'The source' }),
  source: planOf([edit('honey.txt', ['?', 'from the heath'])], { title: 'The source, again' }),
  question: 'Do you want **jam**, or\n\n1. butter\n2. cheese?\n',
  jam: planOf([create('jam.txt', 'rouge, 赤い\n')], { title: 'Store the jam' }),
  bread: planOf([create('bread.txt', 'brown\n')], { title: 'Bake' }),
  weight: planOf([execute('wc -c < jam.txt | tr -d " " > weight.txt')], { title: 'Weigh' }),
  eaten: planOf([edit('honey.txt', ['sweet', 'gone'])], { title: 'Eat' }),
  whichYear: planOf([chat('Of which year is it?')], { title: 'Ask' }),
  label: planOf([create('label.txt', '2026\n')], { title: 'Label' }),
  cellar: planOf([create('cellar.txt', 'deep\n')], { title: 'Dig' }),
  key: planOf([create('key.txt', 'hidden\n'), create('spare.txt', 'hidden\n')], { title: 'Hide' }),
  done: 'You are welcome.',
};
const REASON = 'The rent does not allow it.';

test('a conversation of ten turns in an editor', async () => {
  const whole = (answer: string): ModelStep => ({ answer });
  const silent = (answer: string): ModelStep => ({ answer, stallAfter: SILENT_AFTER });
  const { honey, wrongSource, source, question, jam, bread, weight, eaten } = ANSWERS;
  const { site, model, open } = await beginStory([
    ...[honey, wrongSource, source, question, jam].map(whole),
    silent(bread),
    ...[bread, weight, eaten, ANSWERS.whichYear, ANSWERS.label].map(whole),
    silent(ANSWERS.cellar),
    ...[ANSWERS.cellar, ANSWERS.key, ANSWERS.done].map(whole),
  ]);
  const user = {
    permit: ({ toolCall }: { toolCall: { title?: string | null } }) =>
      /cellar/.test(toolCall.title ?? '')
        ? 'Skip'
        : /key\.txt/.test(toolCall.title ?? '')
          ? 'Approve the rest'
          : 'Approve',
    fill: () => REASON,
  };
  const first = await open(user);
  const session = await first.start();

  expect(await first.prompt(MESSAGES.honey)).toBe('end_turn');
  expect(first.said()).toContain('**Overall Status:** Completed');
  await first.prompt(MESSAGES.source);
  expect(first.said(0, 'agent_thought_chunk')).toMatch(
    /Plan refused; it goes back to the model: .*honey\.txt.* Kept as answer-1\.md\./,
  );
  expect(site.read('honey.txt')).toBe(HONEY);

  await first.prompt(MESSAGES.more);
  expect(first.said()).toContain('2. cheese?');
  await first.prompt(MESSAGES.jam);
  expect(site.read('jam.txt')).toBe('rouge, 赤い\n');

  const stopped = first.prompt(MESSAGES.bread);
  await fallsSilent(site, session, '04', SILENT_AFTER);
  await first.cancel();
  expect(await stopped).toBe('cancelled');
  expect(first.said()).toContain('Stopped. Everything received so far is kept.');
  await first.prompt('/resume');
  expect(site.read('bread.txt')).toBe('brown\n');

  await first.prompt(MESSAGES.weight);
  expect(site.read('weight.txt')).toBe(`${Buffer.byteLength('rouge, 赤い\n')}\n`);

  await first.prompt(MESSAGES.eaten);
  expect(site.read('honey.txt')).toBe(HONEY.replace('sweet', 'gone'));
  expect(await first.prompt('/undo')).toBe('end_turn');
  expect(first.said()).toContain('restored  honey.txt');
  expect(site.read('honey.txt')).toBe(HONEY);
  await first.prompt('/runs');
  expect(first.said()).toMatch(/Completed {2}Eat {2}\(undone\)/);

  // The question ends the prompt, and the next prompt is the reply.
  expect(await first.prompt(MESSAGES.label)).toBe('end_turn');
  expect(first.said()).toMatch(/Of which year is it\?\s*$/);
  await first.prompt(MESSAGES.year);
  expect(site.read('label.txt')).toBe('2026\n');

  const lost = first.prompt(MESSAGES.cellar).catch(() => 'lost');
  await fallsSilent(site, session, '09', SILENT_AFTER);
  await first.kill();
  expect(await lost).toBe('lost');

  const second = await open(user);
  await second.load(session);
  expect(second.said(0, 'user_message_chunk')).toContain(MESSAGES.honey);
  expect(second.said()).toContain('Your last message has no answer yet: /resume asks the agent again.');
  await second.prompt('/resume');
  expect(second.forms).toEqual(['Why skip it? CREATE cellar.txt']);
  expect(second.said()).toContain(REASON);
  expect(site.has('cellar.txt')).toBe(false);

  await second.prompt(MESSAGES.key);
  expect(site.read('spare.txt')).toBe('hidden\n');
  await second.prompt(MESSAGES.done);
  expect(second.said()).toMatch(/You are welcome\.\s*$/);
  expect(await second.end()).toBe(0);

  // Every text is kept, and every answer as a file of its own.
  const kept = Object.entries(site.sessions());
  const sent = { ...MESSAGES, weight: MESSAGES.weight.slice(1) };
  const missing = Object.entries(sent).filter(([, typed]) => !kept.some(([, text]) => text.includes(typed)));
  expect(missing).toEqual([]);
  const startOf = (answer: string) => [...answer].slice(0, SILENT_AFTER).join('');
  expect(
    Object.fromEntries(
      kept
        .filter(([path]) => /\/answer[^/]*$/.test(path))
        .map(([path, text]) => [path.slice(session.length + 1), text]),
    ),
  ).toEqual({
    '01/answer.md': honey,
    '02/answer-1.md': wrongSource,
    '02/answer.md': source,
    '03/answer-1.md': question,
    '03/answer.md': jam,
    '04/answer-1.md': startOf(bread),
    '04/answer.md': bread,
    '05/answer.md': weight,
    '06/answer.md': eaten,
    '07/answer.md': ANSWERS.whichYear,
    '08/answer.md': ANSWERS.label,
    '09/answer-1.md': startOf(ANSWERS.cellar),
    '09/answer.md': ANSWERS.cellar,
    '10/answer.md': ANSWERS.key,
    '11/answer-1.md': ANSWERS.done,
  });
  expect(model.requests).toHaveLength(15);
  expect(JSON.stringify(model.requests.at(-2)?.body)).toContain(REASON);

  // Every action was shown with its diff before it was decided on, and was asked about once.
  const calls = [...first.calls().values(), ...second.calls().values()];
  expect(calls.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'CREATE honey.txt: completed',
    'EDIT honey.txt: completed',
    'CREATE jam.txt: completed',
    'CREATE bread.txt: completed',
    'EXECUTE wc -c < jam.txt | tr -d " " > weight.txt: completed',
    'EDIT honey.txt: completed',
    'CREATE label.txt: completed',
    'CREATE cellar.txt: failed',
    'CREATE key.txt: completed',
    'CREATE spare.txt: completed',
  ]);
  const asked = [...first.asked, ...second.asked].map(({ toolCall }) => toolCall.title);
  expect(asked).toEqual(calls.map(({ title }) => title).slice(0, -1));
  for (const { title, content } of calls) {
    if (/^EXECUTE/.test(String(title))) continue;
    const path = `${site.root}/${String(title).split(' ')[1]}`;
    expect(content).toContainEqual(expect.objectContaining({ type: 'diff', path }));
  }
  const project = Object.keys(readTree(site.root)).filter((path) => !/^\.(?:git|teddy)\//.test(path));
  expect(project.sort()).toEqual(
    [
      'README.md',
      'bread.txt',
      'honey.txt',
      'jam.txt',
      'key.txt',
      'label.txt',
      'spare.txt',
      'weight.txt',
    ].sort(),
  );
});
