// One conversation in `teddy chat`, as a user types it: a plan that goes back, prose, Ctrl-C, /undo, a reply, kill -9 and
// a resume. Played twice; nothing that was typed or answered is lost.
import { describe, expect, test } from 'vitest';
import { readTree } from '../../folder.js';
import type { ModelStep, Received } from '../../model-server.mjs';
import { chat, create, edit, execute, planOf } from '../../runs/boundary/plan.js';
import { noPython, type TestTerminal } from '../pty/terminal.js';
import { atPrompt, beginChat, lastRow, say, submit } from './chat.js';
import type { Site } from './site.js';

const SESSION = '.teddy/sessions/store-the-honey-please';
/** How much of an answer comes before the model is silent. */
const SILENT_AFTER = 120;

const MESSAGES = {
  honey: 'Store the honey, please.',
  source: 'Note where the honey is from.',
  more: 'Something for the bread:\n\n\t- what you like, “süß” 🍯',
  jam: 'Jam. Red, not 青い.',
  misspelled: 'Bake the bred.',
  bread: 'Bake the bread.',
  weight: '//bin/sh can weigh the jam.',
  eaten: 'The honey is eaten.',
  label: 'Label the jam.',
  year: 'The year: 2026.',
  cellar: 'Dig a cellar.',
  noCellar: 'The rent does not allow it.',
  key: 'Then only hide the key.',
};

const HONEY = 'sweet\nfrom the heath\n';
const QUESTION = 'Do you want **jam**, or\n\n1. butter\n2. cheese?\n';
const ANSWERS = {
  honey: planOf([create('honey.txt', 'sweet\n?\n')], { title: 'Store the honey' }),
  wrongSource: planOf([edit('honey.txt', ['!', 'from the heath'])], { title: 'The source' }),
  source: planOf([edit('honey.txt', ['?', 'from the heath'])], { title: 'The source, again' }),
  question: QUESTION,
  jam: planOf([create('jam.txt', 'rouge, 赤い\n')], { title: 'Store the jam' }),
  bread: planOf([create('bread.txt', 'brown\n')], { title: 'Bake' }),
  weight: planOf([execute('wc -c < jam.txt | tr -d " " > weight.txt')], { title: 'Weigh' }),
  eaten: planOf([edit('honey.txt', ['sweet', 'gone'])], { title: 'Eat' }),
  whichYear: planOf([chat('Of which year is it?')], { title: 'Ask' }),
  label: planOf([create('label.txt', '2026\n')], { title: 'Label' }),
  cellar: planOf([create('cellar.txt', 'deep\n')], { title: 'Dig' }),
  key: planOf([create('key.txt', 'hidden\n')], { title: 'Hide' }),
};
const silent = (answer: string): ModelStep => ({ answer, stallAfter: SILENT_AFTER });
const whole = (answer: string): ModelStep => ({ answer });

const SCRIPT: ModelStep[] = [
  ...[ANSWERS.honey, ANSWERS.wrongSource, ANSWERS.source, ANSWERS.question, ANSWERS.jam].map(whole),
  silent(ANSWERS.bread),
  ...[ANSWERS.bread, ANSWERS.weight, ANSWERS.eaten, ANSWERS.whichYear, ANSWERS.label].map(whole),
  silent(ANSWERS.cellar),
  ...[ANSWERS.cellar, ANSWERS.key].map(whole),
];

interface Played {
  session: Record<string, string>;
  project: Record<string, string>;
  requests: Received[];
}

/** Twice at the same time, each in a folder of its own. */
let both: Promise<[Played, Played]> | undefined;
function played(): Promise<[Played, Played]> {
  both ??= Promise.all([play(), play()]);
  return both;
}

async function play(): Promise<Played> {
  const { site, model, open } = await beginChat(SCRIPT, { env: { TEDDY_NOW: '2026-03-01T09:00:00Z' } });
  const first = open('-m', MESSAGES.honey);
  await approve(first, site, 1);

  await say(first, MESSAGES.source);
  await approve(first, site, 2);
  expect(first.history()).toMatch(/Plan refused \(.*honey\.txt; saved as answer-1\.md\./);

  await say(first, MESSAGES.more);
  await first.shows('2. cheese?');
  await say(first, MESSAGES.jam);
  await approve(first, site, 3);

  await say(first, MESSAGES.misspelled);
  await fallsSilent(first, site, 4, ANSWERS.bread);
  first.send('\u0003');
  await first.until(() => lastRow(first).endsWith(`│ ${MESSAGES.misspelled}`), 'the message');
  first.send('\u007f\u007f\u007f');
  await submit(first, 'ead.');
  await approve(first, site, 4);

  await say(first, MESSAGES.weight);
  await approve(first, site, 5);

  await say(first, MESSAGES.eaten);
  await approve(first, site, 6);
  expect(site.read('honey.txt')).toBe(HONEY.replace('sweet', 'gone'));
  await say(first, '/undo');
  await first.until(() => site.read('honey.txt') === HONEY, 'that the honey is back');

  await say(first, MESSAGES.label);
  await first.shows('Your reply');
  await submit(first, MESSAGES.year);
  await approve(first, site, 8);

  await say(first, MESSAGES.cellar);
  await fallsSilent(first, site, 9, ANSWERS.cellar);
  first.signal('KILL');
  await first.ended;

  const second = open();
  await second.until(() => lastRow(second).endsWith(`│ ${MESSAGES.cellar}`), 'the message');
  second.send('\r');
  await second.shows(/CREATE.*n skip/s);
  second.send('n');
  await second.shows('Why skip it?');
  await submit(second, MESSAGES.noCellar);
  await isDone(second, site, 9);

  await say(second, MESSAGES.key);
  await approve(second, site, 10);
  await say(second, '/quit');
  expect(await second.ended).toMatchObject({ exit: 0 });

  const project = Object.entries(readTree(site.root)).filter(([path]) => !/^\.(?:git|teddy)\//.test(path));
  return { session: site.sessions(), project: Object.fromEntries(project), requests: model.requests };
}

function turnFolder(turn: number): string {
  return `${SESSION}/${String(turn).padStart(2, '0')}`;
}

async function approve(terminal: TestTerminal, site: Site, turn: number): Promise<void> {
  const plan = `${turnFolder(turn)}/plan.md`;
  await terminal.until(() => site.has(plan), plan);
  await terminal.until(() => /1 of 1 {2}[A-Z]+.*n skip/s.test(terminal.text()), 'the question');
  terminal.send('y');
  await isDone(terminal, site, turn);
}

async function isDone(terminal: TestTerminal, site: Site, turn: number): Promise<void> {
  const report = `${turnFolder(turn)}/report.md`;
  await terminal.until(() => site.has(report), report);
  await atPrompt(terminal);
}

async function fallsSilent(terminal: TestTerminal, site: Site, turn: number, answer: string): Promise<void> {
  const part = `${turnFolder(turn)}/answer.part`;
  await terminal.until(() => site.has(part) && site.read(part) === startOf(answer), part);
}

function startOf(answer: string): string {
  return [...answer].slice(0, SILENT_AFTER).join('');
}

describe.skipIf(noPython)(`a conversation of ten turns${noPython}`, () => {
  test('keeps every text that was typed', async () => {
    const [{ session }] = await played();
    const texts = Object.values(session);
    const sent = { ...MESSAGES, weight: MESSAGES.weight.slice(1) };
    const lost = Object.entries(sent).filter(([, typed]) => !texts.some((text) => text.includes(typed)));
    expect(lost).toEqual([]);
  });

  test('keeps every answer, each as a file of its own', async () => {
    const [{ session }] = await played();
    const answers = Object.fromEntries(
      Object.entries(session)
        .filter(([path]) => /\/answer[^/]*$/.test(path))
        .map(([path, text]) => [path.slice(path.indexOf('/') + 1), text]),
    );
    expect(answers).toEqual({
      '01/answer.md': ANSWERS.honey,
      '02/answer-1.md': ANSWERS.wrongSource,
      '02/answer.md': ANSWERS.source,
      '03/answer-1.md': ANSWERS.question,
      '03/answer.md': ANSWERS.jam,
      '04/answer-1.md': startOf(ANSWERS.bread),
      '04/answer.md': ANSWERS.bread,
      '05/answer.md': ANSWERS.weight,
      '06/answer.md': ANSWERS.eaten,
      '07/answer.md': ANSWERS.whichYear,
      '08/answer.md': ANSWERS.label,
      '09/answer-1.md': startOf(ANSWERS.cellar),
      '09/answer.md': ANSWERS.cellar,
      '10/answer.md': ANSWERS.key,
    });
  });

  test('changes the project as the approved plans say, without what was undone or skipped', async () => {
    const [{ project }] = await played();
    expect(project).toEqual({
      'README.md': 'A larder.\n',
      'honey.txt': HONEY,
      'jam.txt': 'rouge, 赤い\n',
      'bread.txt': 'brown\n',
      'weight.txt': `${Buffer.byteLength('rouge, 赤い\n')}\n`,
      'label.txt': '2026\n',
      'key.txt': 'hidden\n',
    });
  });

  test('asks the model once for each answer, and tells it of the undo, the reply and the reason', async () => {
    const [{ requests }] = await played();
    expect(requests).toHaveLength(SCRIPT.length);
    const inputs = requests.map(({ body }) => body.messages[1].content as string);
    const told = inputs.flatMap((input, at) => (/was undone|has been undone/i.test(input) ? [at] : []));
    expect(told).toEqual([9]);
    expect(inputs[10]).toContain(MESSAGES.year);
    expect(inputs.at(-1)).toContain(MESSAGES.noCellar);
  });

  // Nothing is masked: with a fixed clock even the ids of runs are the same.
  test('gives the same files when it is played again', async () => {
    const [first, second] = await played();
    expect(second.session).toEqual(first.session);
    expect(second.project).toEqual(first.project);
  });
});
